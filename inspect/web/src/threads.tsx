import { useEffect, useRef, useState } from "preact/hooks";
import { get, of, type Summary, type Thread, type Threads } from "./api";
import { ago, count, num, oneLine, plain, short, usd } from "./format";
import { useEpoch, useEvents, useGet } from "./hooks";
import { Fail, Title, Wait } from "./parts";
import { go, href } from "./route";

const page = 100;

// ThreadsView lists all conversations, branches under where they come from.
export function ThreadsView({ query, tenant }: { query: URLSearchParams; tenant: string }) {
  const q = query.get("q") ?? "", from = Number(query.get("from")) || 0;
  const [turn, setTurn] = useState(0);
  const due = useRef<number | undefined>(undefined);
  const got = useGet<Threads>(`threads?q=${encodeURIComponent(q)}&from=${from}&limit=${page}${turn ? "&turn=" + turn : ""}`);
  useEvents({
    moved: () => { // several at once are one
      due.current ??= window.setTimeout(() => { due.current = undefined; setTurn((n) => n + 1); }, 1500);
    },
  });
  useEffect(() => () => clearTimeout(due.current), []);
  const rows = got.data ? nested(got.data.threads) : [];
  const total = got.data?.total ?? 0;
  return (
    <section class="threads" aria-label="threads">
      <Title text="threads" />
      <h1 class="sr">Threads</h1>
      <form class="bar" role="search" onSubmit={(e) => e.preventDefault()}>
        <input type="search" id="find" aria-label="find a thread" placeholder="find a thread by name, key or agent" value={q}
          onInput={(e) => go(href([], { q: e.currentTarget.value }), true)} />
        <p class="lead">{got.data && count(total, "thread")}</p>
      </form>
      <Fail fault={got.fault} />
      <Wait when={got.busy && !got.data} />
      {got.data && total === 0 && <p class="empty">{q ? "No thread has that in its name." : tenant ? <>This database holds no thread of the tenant {plain(tenant)}.</>
        : <>No thread is here. <code>precis compact FILE</code> or <code>precis serve</code> make some. Where a proxy tells users apart, <code>precis inspect --tenant NAME</code> shows those of one.</>}</p>}
      {rows.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label="list of threads">
          <table class="wide">
            <thead><tr>
              <th scope="col">Thread</th><th scope="col">Agent</th><th scope="col">Model</th><th scope="col" class="n">Messages</th><th scope="col" class="n">Turns</th>
              <th scope="col" class="n">Next request, tokens</th><th scope="col" class="n">Compactions</th><th scope="col" class="n"><abbr title="Estimated input bill of sending everything, less that of what was sent, cache breaks included">Saved, net</abbr></th><th scope="col">Last activity</th>
            </tr></thead>
            <tbody>{rows.map((r) => <ThreadRow key={r.t.thread} t={r.t} depth={r.depth} />)}</tbody>
          </table>
        </div>
      )}
      {total > page && (
        <p class="buttons left"><button type="button" disabled={from === 0} onClick={() => go(href([], { q, from: Math.max(0, from - page) || undefined }))}>Newer</button>
          <button type="button" disabled={from + page >= total} onClick={() => go(href([], { q, from: from + page }))}>Older</button> <small>{num(from + 1)} to {num(Math.min(from + page, total))} of {num(total)}</small></p>
      )}
    </section>
  );
}

// deepest is how far branches of branches are drawn further to the right.
const deepest = 8;

// nested puts branches below the thread they come from.
function nested(all: Thread[]): { t: Thread; depth: number }[] {
  const byParent = new Map<string, Thread[]>();
  const names = new Set(all.map((t) => t.thread));
  const roots = all.filter((t) => {
    if (!t.parent || !names.has(t.parent)) return true;
    byParent.set(t.parent, [...(byParent.get(t.parent) ?? []), t]);
    return false;
  });
  const out: { t: Thread; depth: number }[] = [];
  const put = (t: Thread, depth: number) => {
    out.push({ t, depth });
    byParent.get(t.thread)?.forEach((c) => put(c, Math.min(depth + 1, deepest)));
  };
  roots.forEach((t) => put(t, 0));
  return out;
}

// One summary is read at a time: each reads its whole thread.
let queue: Promise<unknown> = Promise.resolve();

function useSummary(t: Thread): Summary | undefined {
  const [s, set] = useState<Summary | undefined>();
  const at = useEpoch();
  useEffect(() => {
    const stop = new AbortController();
    queue = queue.then(() => stop.signal.aborted ? undefined : get<Summary>(of(t.thread, "summary"), stop.signal).then(set, () => undefined));
    return () => stop.abort();
  }, [t.thread, t.messages, t.plan_version, at]);
  return s;
}

function ThreadRow({ t, depth }: { t: Thread; depth: number }) {
  const s = useSummary(t);
  const saved = s?.usd !== undefined && s.uncompacted_usd !== undefined ? s.uncompacted_usd - s.usd : undefined;
  return (
    <tr>
      <th scope="row" style={{ paddingLeft: `${0.6 + depth * 1.4}rem` }}>
        {depth > 0 && <span class="faint" aria-hidden="true">└ </span>}
        <a href={href(["t", t.thread])}>{plain(t.title || t.thread)}</a>
        {t.title ? <small class="sub">{plain(t.thread)}</small> : s?.begins && <small class="begins" dir="auto">{oneLine(s.begins)}</small>}
        {t.relation && <small class="sub">{t.relation === "subagent" ? "subagent" : t.relation === "fork" ? "fork" : "continues"} {depth === 0 && `of ${plain(t.parent ?? "")}`}</small>}
      </th>
      <td>{t.agent || "n/a"}</td>
      <td>{s ? s.model || "n/a" : "…"}</td>
      <td class="n">{num(t.messages)}</td>
      <td class="n">{s ? num(s.turns) : "…"}</td>
      <td class="n">{s ? <>{short(s.tokens)} <small class="faint">of {short(s.logged_tokens)}</small></> : "…"}</td>
      <td class="n">{s ? num(s.compactions) : "…"}</td>
      <td class="n">{s ? usd(saved) : "…"}</td>
      <td><time dateTime={t.updated}>{ago(t.updated)}</time></td>
    </tr>
  );
}
