import { useEffect, useRef, useState } from "preact/hooks";
import { get, of, type Card, type Messages, type PromptPage, type Row } from "./api";
import { count, num, oneLine, percent, plain, short, tokens } from "./format";
import { useEpoch, useGet } from "./hooks";
import { List } from "./list";
import { Chip, Fail, Role, Tool } from "./parts";
import { go, href } from "./route";

interface Props { thread: string; query: URLSearchParams; sim?: string; steps: number; head?: string }

const rowHeight = 58;

// PromptView shows the log on one side and the prompt of a step on the other.
export function PromptView({ thread, query, sim, steps }: Props) {
  const at = useEpoch();
  const step = Math.max(1, Math.min(steps, Number(query.get("step")) || steps));
  const page = useGet<PromptPage>(of(thread, "prompt", { step, sim, limit: 1 }));
  const p = page.data;
  const to = (n: number, replace = true) => go(href(["t", thread, "prompt"], { step: Math.max(1, Math.min(steps, n)), sim }), replace);
  const [logAt, setLogAt] = useState(-1);
  const [rowAt, setRowAt] = useState(-1);
  const [showLog, setShowLog] = useState({ at: -1, stamp: 0 });
  const [showRow, setShowRow] = useState({ at: -1, stamp: 0 });
  const box = useRef<HTMLDivElement>(null);
  const lit = useRef<Lit>({});
  const id = `${thread} ${step} ${sim} ${at}`;
  useEffect(() => {
    setLogAt(-1);
    setRowAt(-1);
    lit.current = {};
    const planned = !!p?.gone_total; // then the summary is what is new, else the end is
    setShowLog({ at: planned ? 0 : Math.max(0, (p?.messages ?? 0) - 1), stamp: Math.random() });
    setShowRow({ at: planned ? 0 : (p?.total ?? 1) - 1, stamp: Math.random() });
  }, [id, p?.step === step]);

  const light = (l: Lit) => {
    lit.current = l;
    paint(box.current, l);
  };
  const over = (e: Event) => {
    const el = (e.target as HTMLElement).closest<HTMLElement>(".row");
    if (!el || el.dataset.side === undefined) return;
    light(litOf(el));
  };
  const keys = (e: KeyboardEvent) => {
    if (e.altKey || e.ctrlKey || e.metaKey || (e.target as HTMLElement).tagName === "INPUT") return;
    if (e.key === "ArrowLeft") { e.preventDefault(); to(step - 1); }
    if (e.key === "ArrowRight") { e.preventDefault(); to(step + 1); }
  };
  return (
    <section class="prompt" aria-label="prompt beside log" onKeyDown={keys}>
      <div class="bar">
        <button type="button" onClick={() => to(step - 1)} disabled={step <= 1} aria-label="step before">‹</button>
        <label class="steps">Step <input type="range" min={1} max={steps} value={step} onInput={(e) => to(Number(e.currentTarget.value))} aria-valuetext={`step ${step} of ${steps}`} /></label>
        <output>{num(step)} <small>of {num(steps)}</small></output>
        <button type="button" onClick={() => to(step + 1)} disabled={step >= steps} aria-label="next step">›</button>
        {p && <p class="lead">{tokens(p.tokens)}{p.budget ? `, ${percent(p.tokens, p.budget)} of the budget` : ""} · {count(p.messages, "message")} in the log, {num(p.total)} in the prompt · {p.plan_version
          ? <a href={href(["t", p.plan_thread ?? thread, "plans", p.plan_version], { sim })}>plan {p.plan_version}{p.plan_thread && ` of ${plain(p.plan_thread)}`}</a> : "no plan"}</p>}
      </div>
      <Fail fault={page.fault} />
      {p && p.gone_total > 0 && <GoneList p={p} thread={thread} sim={sim} />}
      <div class="sides" ref={box} onMouseOver={over} onMouseLeave={() => light({})}>
        <div class="side">
          <h2>Log <small>everything that was said{p ? `, ${count(p.messages, "message")}` : ""}</small></h2>
          <List<Card> id={"log " + id} label="log" height={rowHeight} active={logAt} show={showLog} empty="The log is empty."
            read={async (from, limit, s) => { const m = await get<Messages>(of(thread, "messages", { step, sim, from, limit }), s); return { rows: m.messages, total: m.total }; }}
            attrs={(m) => ({ "data-side": "log", "data-n": m.number, "data-row": m.row ?? 0, "data-state": m.state })}
            row={(m) => <LogRow m={m} />} onDrawn={() => paint(box.current, lit.current)}
            onActive={(i, m) => { setLogAt(i); if (m) { light({ n: m.number, row: m.row ?? 0 }); if (m.row) setShowRow({ at: m.row - 1, stamp: Math.random() }); } }}
            onOpen={(_i, m) => go(href(["t", thread, "m", m.number], { sim }))} />
        </div>
        <div class="side">
          <h2>Prompt <small>what was sent{p?.system_tokens ? `, after ${tokens(p.system_tokens)} of system prompt, tools and framing` : ""}</small></h2>
          <List<Row> id={"prompt " + id} label="prompt" height={rowHeight} active={rowAt} show={showRow} empty="The prompt is empty."
            read={async (from, limit, s) => { const m = await get<PromptPage>(of(thread, "prompt", { step, sim, from, limit }), s); return { rows: m.rows, total: m.total }; }}
            attrs={(r) => ({ "data-side": "prompt", "data-row": r.row, "data-first": r.first, "data-last": r.last, "data-state": r.state })}
            row={(r) => <PromptRow r={r} />} onDrawn={() => paint(box.current, lit.current)}
            onActive={(i, r) => { setRowAt(i); if (r) { light({ row: r.row, first: r.first, last: r.last }); if (r.first) setShowLog({ at: r.first - 1, stamp: Math.random() }); } }}
            onOpen={(_i, r) => go(href(["t", thread, "row", r.row], { step, sim }))} />
        </div>
      </div>
      <p class="note">Point at a message: what belongs to it lights up on the other side. A click brings it into view, a double click or Enter opens it. Left and right arrows change the step. What came back for one turn only, and what the model looked up, is not kept in the log and not shown here.</p>
    </section>
  );
}

interface Lit { n?: number; row?: number; first?: number; last?: number }

const litOf = (el: HTMLElement): Lit => el.dataset.side === "log"
  ? { n: Number(el.dataset.n), row: Number(el.dataset.row) }
  : { row: Number(el.dataset.row), first: Number(el.dataset.first), last: Number(el.dataset.last) };

// paint lights the rows that belong together. It touches what is drawn and nothing else,
// so that it takes a fraction of a frame however long the lists are.
function paint(box: HTMLElement | null, l: Lit) {
  box?.querySelectorAll<HTMLElement>(".row").forEach((el) => {
    const d = el.dataset;
    const on = d.side === "log"
      ? l.n !== undefined ? Number(d.n) === l.n : l.first !== undefined && l.first > 0 && Number(d.n) >= l.first && Number(d.n) <= l.last! && (l.first === l.last || Number(d.row) === l.row)
      : d.side === "prompt" && !!l.row && Number(d.row) === l.row;
    el.classList.toggle("lit", on);
  });
}

function LogRow({ m }: { m: Card }) {
  return (
    <>
      <div class="top-line"><b class="no">#{m.number}</b><Role role={m.role} /><Tool name={m.tool} />
        <span class="grow" />{m.pinned && <span class="chip">pinned</span>}{m.held && <span class="chip">held</span>}{m.erased && <span class="chip s-dropped">erased</span>}
        {m.state !== "whole" && <Chip state={m.state} />}<span class="tok">{short(m.tokens)}</span></div>
      <div class={"text" + (m.state === "whole" || m.state === "came_back" || m.state === "thinned" ? "" : " gone")} dir="auto">{oneLine(m.text) || "(no text)"}</div>
    </>
  );
}

function PromptRow({ r }: { r: Row }) {
  const from = r.first === r.last ? `#${r.first}` : `#${r.first}–#${r.last}`;
  return (
    <>
      <div class="top-line"><b class="no">{r.first ? from : "for this turn"}</b><Role role={r.role} /><Tool name={r.tool} /><span class="grow" />
        {r.change && r.change !== "back" && <span class={"chip ch-" + r.change}>{r.change}</span>}{r.change === "back" && r.state !== "came_back" && <Chip state="came_back" />}{r.state !== "whole" && <Chip state={r.state} />}<span class="tok">{short(r.tokens)}</span></div>
      <div class="text" dir="auto">{oneLine(r.text) || "(no text)"}</div>
    </>
  );
}

function GoneList({ p, thread, sim }: { p: PromptPage; thread: string; sim?: string }) {
  return (
    <details class="gone">
      <summary>{p.gone_total === 1 ? "1 message" : `${num(p.gone_total)} messages`} of the step before left the prompt here: plan {p.plan_version}</summary>
      <p class="note"><a href={href(["t", p.plan_thread ?? thread, "plans", p.plan_version], { sim, lost: 1 })}>The paths, commands, numbers and ids that left with them</a></p>
      <ul>
        {p.gone.map((g) => (
          <li key={g.first}>
            <a href={href(["t", thread, "m", g.first], { sim })}>{g.first === g.last ? `#${g.first}` : `#${g.first}–#${g.last}`}</a> <span class="tok">{tokens(g.tokens)}</span>{" "}
            <span class="why">{plain(g.reason || "its reason is not recorded")}</span> <span class="faint">{oneLine(g.text).slice(0, 90)}</span>
          </li>
        ))}
      </ul>
      {p.gone_total > p.gone.length && <p class="note">The first {p.gone.length} are shown.</p>}
    </details>
  );
}
