import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { of, type Column, type Timeline } from "./api";
import { count, layerName, num, percent, plain, short, stamp, tokens, usd } from "./format";
import { useGet } from "./hooks";
import { Fail, Wait } from "./parts";
import { go, href, type Query } from "./route";

export interface Range { first?: number; last?: number }

interface Props {
  thread: string; sim?: string; query: URLSearchParams; base: (string | number)[]; label: string;
  step?: number; onStep?: (n: number) => void; compact?: boolean;
}

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function TimelineView(p: Props) {
  const first = Number(p.query.get("first")) || undefined;
  const last = Number(p.query.get("last")) || undefined;
  const log = p.query.get("log") === "1";
  const [width, setWidth] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const el = box.current!;
    const seen = new ResizeObserver(() => setWidth(Math.floor(el.clientWidth)));
    setWidth(Math.floor(el.clientWidth));
    seen.observe(el);
    return () => seen.disconnect();
  }, []);
  const columns = width ? Math.max(60, Math.min(1600, Math.floor(width / 3 / 20) * 20)) : undefined;
  const got = useGet<Timeline>(columns ? of(p.thread, "timeline", { first, last, columns, sim: p.sim }) : undefined);
  const line = got.data;
  const step = p.step ?? (Number(p.query.get("step")) || line?.columns[line.columns.length - 1]?.step || 0);
  const at = useMemo(() => line ? Math.max(0, line.columns.findIndex((c) => c.first_step <= step && step <= c.last_step)) : 0, [line, step]);

  const query = (more: Query): Query => ({ first, last, log: log ? 1 : undefined, step: p.query.get("step") ?? undefined, sim: p.query.get("sim") ?? undefined,
    policy: p.query.get("policy") ?? undefined, budget: p.query.get("budget") ?? undefined, ...more });
  const to = (more: Query, replace = true) => go(href(p.base, query(more)), replace);
  const pick = (i: number) => {
    const c = line?.columns[Math.max(0, Math.min((line?.columns.length ?? 1) - 1, i))];
    if (c) p.onStep ? p.onStep(c.step) : to({ step: c.step });
  };
  const keys = (e: KeyboardEvent) => {
    if (e.altKey || e.ctrlKey || e.metaKey || !line) return;
    const far = Math.max(1, Math.floor(line.columns.length / 10));
    const moves: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, PageUp: at + far, PageDown: at - far, Home: 0, End: line.columns.length - 1 };
    if (e.key in moves) { e.preventDefault(); pick(moves[e.key]!); }
    else if (e.key === "Enter" && step) { e.preventDefault(); go(href(["t", p.thread, "prompt"], { step, sim: p.sim })); }
    else if ((e.key === "+" || e.key === "=") && line) zoom(0.5);
    else if (e.key === "-") zoom(2);
  };
  const zoom = (by: number) => {
    if (!line) return;
    const half = Math.max(5, ((line.last_step - line.first_step + 1) * by) / 2);
    const a = Math.max(1, Math.round(step - half)), b = Math.min(line.steps, Math.round(step + half));
    to(a === 1 && b === line.steps ? { first: undefined, last: undefined } : { first: a, last: b });
  };
  const c = line?.columns[at];
  return (
    <section class="timeline" aria-label={p.label}>
      {!p.compact && (
        <div class="bar">
          <p class="lead">{columnsOf(line)}: what the prompt held, in tokens. Drag to zoom.</p>
          <span class="grow" />
          <label class="check"><input type="checkbox" checked={log} onChange={() => to({ log: log ? undefined : 1 })} /> what was left out, too</label>
          <button type="button" onClick={() => zoom(0.5)} disabled={!line}>Zoom in</button>
          <button type="button" onClick={() => to({ first: undefined, last: undefined })} disabled={!first && !last}>Whole thread</button>
        </div>
      )}
      <Fail fault={got.fault} />
      <div class="charts" ref={box} tabIndex={0} onKeyDown={keys} role="slider" aria-label={p.label + ": arrow keys choose a step, Enter opens its prompt"}
        aria-valuemin={1} aria-valuemax={line?.steps ?? 1} aria-valuenow={step || 1} aria-valuetext={c ? `step ${c.step}: ${tokens(c.tokens)}${c.budget ? ` of a budget of ${num(c.budget)}` : ""}` : "reading"}>
        {line && line.columns.length > 0 && width > 0 && (
          <Charts line={line} width={width} log={log} at={at} compact={p.compact} onPick={pick}
            onZoom={(a, b) => to({ first: line.columns[a]!.first_step, last: line.columns[b]!.last_step }, false)} />
        )}
        <Wait when={got.busy && !line} />
        {line && line.columns.length === 0 && <p class="empty">This thread has no request yet.</p>}
      </div>
      {line && c && !p.compact && <Detail line={line} c={c} thread={p.thread} sim={p.sim} log={log} />}
    </section>
  );
}

interface ChartProps { line: Timeline; width: number; log: boolean; at: number; compact?: boolean; onPick: (i: number) => void; onZoom: (a: number, b: number) => void }

// order is how layers are stacked, from the bottom: what was written by Précis first.
const order = [0, 1, 6, 5, 7, 2, 3, 4];

function Charts(p: ChartProps) {
  const top = useRef<HTMLDivElement>(null), bottom = useRef<HTMLDivElement>(null);
  const now = useRef(p);
  now.current = p;
  const plots = useRef<uPlot[]>([]);
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const f = () => setTheme((n) => n + 1);
    const media = matchMedia("(prefers-color-scheme: dark)");
    media.addEventListener("change", f);
    addEventListener("themechange", f);
    return () => { media.removeEventListener("change", f); removeEventListener("themechange", f); };
  }, []);
  useLayoutEffect(() => {
    const made: uPlot[] = [];
    made.push(new uPlot(stackOptions(p, now), stackData(p), top.current!));
    if (!p.compact && p.line.columns.some((c) => c.all > 0)) made.push(new uPlot(cacheOptions(p, now), cacheData(p.line), bottom.current!));
    plots.current = made;
    performance.mark("precis:timeline");
    return () => { plots.current = []; made.forEach((u) => u.destroy()); };
  }, [p.line, p.width, p.log, theme]);
  useLayoutEffect(() => plots.current.forEach((u) => u.redraw(false)), [p.at]);
  return (
    <>
      {!p.compact && <Key p={p} />}
      <div ref={top} />
      {!p.compact && (
        <div class="key">
          <span><i class="line l-hit" />{p.line.model ? "read from the cache" : "begins like the one before"}</span>
          {p.line.model && <span><i class="line l-bill" />input bill</span>}
          <span class="faint">{captionOf(p.line)}</span>
        </div>
      )}
      <div ref={bottom} />
    </>
  );
}

// Key names the colours that are drawn.
function Key({ p }: { p: ChartProps }) {
  const drawn = order.filter((i) => p.line.columns.some((c) => c.sent[i]! > 0));
  const gone = p.log ? p.line.absent.filter((_, i) => p.line.columns.some((c) => c.left[i]! > 0)) : [];
  return (
    <div class="key" aria-hidden="true">
      {drawn.map((i) => <span key={i}><i class={"swatch c-" + p.line.layers[i]} />{layerName[p.line.layers[i]!]}</span>)}
      {gone.map((name) => <span key={name}><i class={"swatch x-" + name} />{layerName[name]}, left out</span>)}
      {p.line.columns.some((c) => c.commits) && <span><i class="tri" />plan made</span>}
    </div>
  );
}

// columnsOf says how many requests a column stands for.
function columnsOf(line: Timeline | undefined): string {
  const most = Math.max(1, ...(line?.columns ?? []).map((c) => c.last_step - c.first_step + 1));
  return most === 1 ? "One column a request" : `One column for up to ${num(most)} requests, the largest of which it shows`;
}

function captionOf(line: Timeline): string {
  return line.model
    ? `100 % = the same request at the uncached input price; estimated by the published rules of ${line.model}`
    : "100 % = the tokens of the request; the model is not known, so cache hits and bill are n/a";
}

function layersOf(p: ChartProps): { name: string; color: string; of: (c: Column) => number }[] {
  const all = order.map((i) => ({ name: p.line.layers[i]!, color: css("--c-" + p.line.layers[i]), of: (c: Column) => c.sent[i]! }));
  if (p.log) p.line.absent.forEach((name, i) => all.push({ name: name + " (left out)", color: css("--x-" + name), of: (c) => c.left[i]! }));
  return all;
}

function stackData(p: ChartProps): uPlot.AlignedData {
  const cols = p.line.columns;
  const sums = cols.map(() => 0);
  const stacked = layersOf(p).map((l) => cols.map((c, i) => (sums[i]! += l.of(c))));
  const over = (f: (c: Column) => number | undefined) => cols.map((c) => f(c) ?? null);
  return [cols.map((_, i) => i), ...stacked.reverse(), over((c) => c.budget), over((c) => c.trigger)] as uPlot.AlignedData;
}

function stackOptions(p: ChartProps, now: { current: ChartProps }): uPlot.Options {
  const bars = uPlot.paths.bars!({ size: [0.92, 60], gap: 0 });
  const layers = layersOf(p).reverse();
  return {
    width: p.width, height: p.compact ? 200 : Math.max(240, Math.min(420, Math.round(innerHeight * 0.4))),
    ...common(p, now),
    axes: [xAxis(p), yAxis((v) => short(v))],
    scales: { x: xScale(p), y: { range: (_u, _lo, hi) => [0, (hi || 1) * 1.08] } },
    series: [
      {},
      ...layers.map((l) => ({ label: l.name, fill: l.color, width: 0, paths: bars, points: { show: false } })),
      { label: "budget", stroke: css("--budget"), width: 1.5, points: { show: false } },
      { label: "trigger", stroke: css("--budget"), width: 1, dash: [5, 4], points: { show: false } },
    ],
    hooks: { ...select(now), draw: [(u) => { marks(u, now.current); labels(u, now.current); }] },
  };
}

function cacheData(line: Timeline): uPlot.AlignedData {
  const share = (part: number | undefined, all: number | undefined) => (part === undefined || !all ? null : (100 * part) / all);
  const known = !!line.model;
  return [
    line.columns.map((_, i) => i),
    line.columns.map((c) => share(known ? c.cache_hit : c.shared, c.all)),
    line.columns.map((c) => share(c.usd, c.uncached_usd)),
  ] as uPlot.AlignedData;
}

function cacheOptions(p: ChartProps, now: { current: ChartProps }): uPlot.Options {
  return {
    width: p.width, height: 130, ...common(p, now),
    axes: [xAxis(p), yAxis((v) => v + " %")],
    scales: { x: xScale(p), y: { range: (_u, _lo, hi) => [0, Math.max(100, hi)] } },
    series: [
      {},
      { label: "cache", stroke: css("--hit"), width: 1.5, fill: css("--hit-fill"), points: { show: false } },
      { label: "bill", stroke: css("--bill"), width: 1.5, points: { show: false } },
    ],
    hooks: { ...select(now), draw: [(u) => marks(u, now.current)] },
  };
}

const xScale = (p: ChartProps) => ({ time: false, range: (): [number, number] => [-0.5, p.line.columns.length - 0.5] });

function common(_p: ChartProps, now: { current: ChartProps }) {
  return {
    legend: { show: false }, padding: [8, 12, 0, 0] as [number, number, number, number],
    cursor: {
      y: false, points: { show: false }, drag: { x: true, y: false, setScale: false },
      bind: {
        click: (u: uPlot) => () => { if (u.cursor.idx != null && u.select.width < 3) now.current.onPick(u.cursor.idx); return null; },
        dblclick: () => () => null,
      },
    } as uPlot.Cursor,
  };
}

function select(now: { current: ChartProps }) {
  return {
    setSelect: [(u: uPlot) => {
      if (u.select.width < 8) return;
      const n = now.current.line.columns.length - 1;
      const a = Math.max(0, Math.round(u.posToVal(u.select.left, "x"))), b = Math.min(n, Math.round(u.posToVal(u.select.left + u.select.width, "x")));
      u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      if (b > a) now.current.onZoom(a, b);
    }],
  };
}

function axis(): Partial<uPlot.Axis> {
  return { stroke: css("--faint"), font: "11px " + css("--sans"), grid: { stroke: css("--grid"), width: 1 }, ticks: { stroke: css("--grid"), width: 1, size: 4 } };
}

const xAxis = (p: ChartProps): uPlot.Axis => ({
  ...axis(), grid: { show: false }, size: 26, space: 60, values: (_u, vs) => vs.map((v) => (Number.isInteger(v) ? num(p.line.columns[v]?.first_step) : "")),
});

const yAxis = (f: (v: number) => string): uPlot.Axis => ({ ...axis(), size: 52, space: 34, values: (_u, vs) => vs.map((v) => f(v)) });

// marks draws the chosen column and the columns that made a plan.
function marks(u: uPlot, p: ChartProps) {
  const { ctx, bbox } = u;
  const x = (i: number) => u.valToPos(i, "x", true);
  ctx.save();
  ctx.fillStyle = css("--commit");
  const size = 4 * devicePixelRatio;
  p.line.columns.forEach((c, i) => {
    if (!c.commits) return;
    const at = x(i);
    ctx.beginPath();
    ctx.moveTo(at - size, bbox.top);
    ctx.lineTo(at + size, bbox.top);
    ctx.lineTo(at, bbox.top + size * 1.6);
    ctx.fill();
  });
  ctx.strokeStyle = css("--ink");
  ctx.globalAlpha = 0.75;
  ctx.setLineDash([]);
  ctx.lineWidth = devicePixelRatio;
  const half = Math.max(1.5, (x(1) - x(0)) / 2);
  ctx.strokeRect(Math.round(x(p.at) - half) + 0.5, bbox.top + 0.5, Math.round(half * 2), bbox.height - 1);
  ctx.restore();
}

// labels names the budget and the trigger beside their lines.
function labels(u: uPlot, p: ChartProps) {
  const last = p.line.columns[p.line.columns.length - 1];
  if (!last?.budget) return;
  const { ctx, bbox } = u;
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px ${css("--sans")}`;
  ctx.fillStyle = css("--budget");
  ctx.strokeStyle = css("--card"); // a rim keeps them readable over the columns
  ctx.lineWidth = 4 * devicePixelRatio;
  ctx.lineJoin = "round";
  ctx.setLineDash([]);
  ctx.textAlign = "left";
  const put = (text: string, v: number, above: boolean) => {
    const y = u.valToPos(v, "y", true);
    if (above && y < bbox.top + 12 * devicePixelRatio) return;
    ctx.textBaseline = above ? "bottom" : "top";
    const to = y + (above ? -3 : 3) * devicePixelRatio;
    ctx.strokeText(text, bbox.left + 6 * devicePixelRatio, to);
    ctx.fillText(text, bbox.left + 6 * devicePixelRatio, to);
  };
  put(`budget ${short(last.budget)}`, last.budget, true);
  if (last.trigger && last.trigger < last.budget) put(`compaction starts ${short(last.trigger)}`, last.trigger, false); // the lines may lie close
  ctx.restore();
}

// Detail says in words and numbers what the chosen column shows.
function Detail({ line, c, thread, sim, log }: { line: Timeline; c: Column; thread: string; sim?: string; log: boolean }) {
  const rows = order.slice().reverse().map((i) => ({ name: line.layers[i]!, n: c.sent[i]!, cls: "c-" + line.layers[i] }));
  const gone = line.absent.map((name, i) => ({ name, n: c.left[i]!, cls: "x-" + name }));
  const joined = c.last_step > c.first_step;
  return (
    <div class="detail">
      <div class="facts">
        <h2>Step {num(c.step)} <small>of {num(line.steps)} · turn {num(c.turn)} · {count(c.messages, "message")} in the log</small></h2>
        {joined && <p class="note">This column joins steps {num(c.first_step)} to {num(c.last_step)} and shows the largest of them.</p>}
        <dl class="pairs">
          <dt>prompt</dt><dd>{tokens(c.tokens)}{c.budget ? `, ${percent(c.tokens, c.budget)} of the budget` : ""}</dd>
          <dt>plan</dt><dd>{c.plan_version ? <a href={href(["t", c.plan_thread ?? thread, "plans", c.plan_version], { sim })}>version {c.plan_version}{c.plan_thread && ` of ${plain(c.plan_thread)}`}</a> : "none: nothing is left out"}{c.commits && ` · made here: ${c.commits.join(", ")}`}</dd>
          <dt>begins like the one before</dt><dd>{percent(c.shared, c.all)} of {joined ? "their" : "its"} tokens</dd>
          <dt>from the cache</dt><dd>{c.cache_hit === undefined ? "n/a" : `${percent(c.cache_hit, c.all)}, ${tokens(c.cache_hit)} (estimated)`}</dd>
          <dt>input bill</dt><dd>{c.usd === undefined ? "n/a" : `${usd(c.usd)}, ${percent(c.usd, c.uncached_usd)} of the uncached price (estimated)`}</dd>
          <dt>time</dt><dd>{stamp(c.time)}</dd>
        </dl>
        <p><a class="button primary" href={href(["t", thread, "prompt"], { step: c.step, sim })}>Open this prompt beside the log</a></p>
      </div>
      <table class="legend">
        <caption>In the prompt</caption>
        <thead><tr><th scope="col">what</th><th scope="col" class="n">tokens</th><th scope="col" class="n">share</th></tr></thead>
        <tbody>
          {rows.map((r) => <tr key={r.name} class={r.n ? "" : "none"}><th scope="row"><i class={"swatch " + r.cls} />{layerName[r.name]}</th><td class="n">{num(r.n)}</td><td class="n">{percent(r.n, c.tokens)}</td></tr>)}
        </tbody>
      </table>
      <table class="legend">
        <caption>Left out of it{log ? "" : " (not drawn)"}</caption>
        <thead><tr><th scope="col">how</th><th scope="col" class="n">tokens of the log</th></tr></thead>
        <tbody>
          {gone.map((r) => <tr key={r.name} class={r.n ? "" : "none"}><th scope="row"><i class={"swatch " + r.cls} />{layerName[r.name]}</th><td class="n">{num(r.n)}</td></tr>)}
        </tbody>
      </table>
    </div>
  );
}
