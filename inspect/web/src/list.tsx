import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { faultOf } from "./hooks";
import { Fail } from "./parts";
import type { Fault } from "./api";

const pageSize = 200;
const spare = 6; // rows drawn beyond what is seen

export interface Source<T> { rows: T[]; total: number }

interface Props<T> {
  id: string; // of the list: what is read of another list is forgotten
  label: string;
  height: number; // of a row in pixels
  read: (from: number, limit: number, signal: AbortSignal) => Promise<Source<T>>;
  row: (x: T, at: number, active: boolean) => ComponentChildren;
  attrs?: (x: T) => Record<string, string | number | undefined>;
  active?: number; // position, counted from 0
  onActive?: (at: number, x: T | undefined) => void;
  onOpen?: (at: number, x: T) => void;
  onDrawn?: () => void;
  show?: { at: number; stamp: number }; // brings a position into view when stamp changes
  empty?: string;
}

// List draws the rows of a long list that are in view, and reads them page by page.
export function List<T>(p: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const pages = useRef(new Map<number, T[]>());
  const asked = useRef(new Set<number>());
  const [total, setTotal] = useState<number | undefined>();
  const [fault, setFault] = useState<Fault | undefined>();
  const [, redraw] = useState(0);
  const [view, setView] = useState({ top: 0, height: 600 });
  const read = useRef(p.read);
  read.current = p.read;

  useEffect(() => {
    pages.current = new Map();
    asked.current = new Set();
    setFault(undefined);
    const stop = new AbortController();
    load(0, stop.signal);
    return () => stop.abort();
  }, [p.id]);

  function load(page: number, signal?: AbortSignal) {
    if (asked.current.has(page)) return;
    asked.current.add(page);
    const into = pages.current;
    read.current(page * pageSize, pageSize, signal ?? new AbortController().signal).then(
      (got) => {
        if (into !== pages.current) return;
        into.set(page, got.rows);
        setFault(undefined);
        setTotal(got.total);
        redraw((n) => n + 1);
      },
      (e) => {
        if (signal?.aborted || into !== pages.current) return;
        asked.current.delete(page); // scrolling asks again
        setFault(faultOf(e));
      },
    );
  }

  useLayoutEffect(() => {
    const el = box.current!;
    const measure = () => setView({ top: el.scrollTop, height: el.clientHeight });
    measure();
    const seen = new ResizeObserver(measure);
    seen.observe(el);
    return () => seen.disconnect();
  }, []);

  const shown = p.show?.stamp;
  useLayoutEffect(() => {
    if (p.show && p.show.at >= 0 && total) reveal(p.show.at, true);
  }, [shown, total === undefined]);

  function reveal(at: number, centre = false) {
    const el = box.current!;
    const top = at * p.height;
    if (centre) {
      el.scrollTop = top - el.clientHeight / 2 + p.height / 2;
    } else if (top < el.scrollTop) {
      el.scrollTop = top;
    } else if (top + p.height > el.scrollTop + el.clientHeight) {
      el.scrollTop = top + p.height - el.clientHeight;
    }
  }

  const n = total ?? 0;
  const first = Math.max(0, Math.floor(view.top / p.height) - spare);
  const last = Math.min(n, Math.ceil((view.top + view.height) / p.height) + spare);
  useEffect(() => {
    if (total === undefined || last <= first) return;
    for (let page = Math.floor(first / pageSize); page <= Math.floor((last - 1) / pageSize); page++) load(page);
  }, [first, last, total, p.id]);
  useLayoutEffect(() => p.onDrawn?.());

  const at = (i: number): T | undefined => pages.current.get(Math.floor(i / pageSize))?.[i % pageSize];
  const active = p.active ?? -1;
  const move = (to: number) => {
    if (!n) return;
    const next = Math.max(0, Math.min(n - 1, to));
    reveal(next);
    p.onActive?.(next, at(next));
  };
  const keys = (e: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(view.height / p.height) - 1);
    const to: Record<string, number> = {
      ArrowDown: active + 1, ArrowUp: active < 0 ? n - 1 : active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: n - 1,
    };
    if (e.key in to && !e.altKey && !e.ctrlKey && !e.metaKey) {
      e.preventDefault();
      move(to[e.key]!);
    } else if (e.key === "Enter" && active >= 0) {
      const x = at(active);
      if (x !== undefined) { e.preventDefault(); p.onOpen?.(active, x); }
    }
  };

  const drawn: ComponentChildren[] = [];
  for (let i = first; i < last; i++) {
    const x = at(i);
    drawn.push(
      <div key={i} id={`${p.label}-${i}`.replace(/\W+/g, "-")} class={"row" + (i === active ? " active" : "")} role="option" aria-selected={i === active}
        aria-posinset={i + 1} aria-setsize={n} style={{ top: i * p.height + "px", height: p.height + "px" }} data-at={i} {...(x !== undefined ? p.attrs?.(x) : {})}>
        {x !== undefined ? p.row(x, i, i === active) : <span class="faint">reading…</span>}
      </div>,
    );
  }
  const click = (e: MouseEvent, open: boolean) => {
    const el = (e.target as HTMLElement).closest<HTMLElement>(".row");
    if (!el) return;
    const i = Number(el.dataset.at);
    const x = at(i);
    if (open && x !== undefined) p.onOpen?.(i, x);
    else p.onActive?.(i, x);
  };
  return (
    <div class="list" ref={box} role="listbox" aria-label={p.label} tabIndex={0} onKeyDown={keys}
      aria-activedescendant={active >= first && active < last ? `${p.label}-${active}`.replace(/\W+/g, "-") : undefined}
      onScroll={(e) => { const el = e.currentTarget as HTMLElement; setView({ top: el.scrollTop, height: el.clientHeight }); }}
      onClick={(e) => click(e, false)} onDblClick={(e) => click(e, true)}>
      <div role="presentation" style={{ height: n * p.height + "px", position: "relative" }}>{drawn}</div>
      <Fail fault={fault} />
      {total === 0 && !fault && <p class="empty">{p.empty ?? "Nothing here."}</p>}
    </div>
  );
}
