import { useEffect, useState } from "preact/hooks";
import { get, of, type Life, type Message, type Row, type PromptPage, type Text } from "./api";
import { act, CostTable } from "./actions";
import { count, num, plain, short, stamp, tokens } from "./format";
import { faultOf, useGet } from "./hooks";
import { Chip, Fail, Role, Title, Tool, Wait } from "./parts";
import { href } from "./route";

interface Props { thread: string; n: number; last: number; sim?: string; version: number; readOnly: boolean }

// MessageView is the life of one message.
export function MessageView({ thread, n, last, sim, version, readOnly }: Props) {
  const got = useGet<Message>(of(thread, `messages/${n}`, { sim }));
  const m = got.data?.number === n ? got.data : undefined;
  if (!m) return <><Fail fault={got.fault} /><Wait when={got.busy} /></>;
  const ask = (action: string, title: string) => () => act({ thread, version, title, readOnly, action: { action, message: n } });
  const out = m.state !== "whole" && m.state !== "came_back";
  return (
    <article class="message">
      <Title text={`#${n}`} />
      <header>
        <h2>Message #{num(n)} <Role role={m.role} /> <Tool name={m.tool} /> <Chip state={m.state} />{m.pinned && <span class="chip">pinned</span>}{m.held && <span class="chip">held</span>}</h2>
        <p class="lead">turn {num(m.turn)} · {tokens(m.tokens)}{m.now !== m.tokens && !m.erased ? `, ${num(m.now)} of them in the prompt now` : ""} {m.time && ` · ${stamp(m.time)}`}{m.variants > 0 && ` · ${count(m.variants, "other raw form")} came, too`}</p>
        <nav aria-label="neighbours">{n > 1 && <a href={href(["t", thread, "m", n - 1], { sim })}>‹ #{n - 1}</a>} {n < last && <a href={href(["t", thread, "m", n + 1], { sim })}>#{n + 1} ›</a>}</nav>
      </header>
      <div class="two">
        <section aria-label="what it says">
          <h3>What it says</h3>
          <TextView path={(skip) => of(thread, `messages/${n}/text`, { skip, sim })} bytes={m.bytes} />
        </section>
        <section aria-label="what became of it">
          {m.return && !sim && (
            <>
              <h3>What would bring it back</h3>
              <p class="lead">It returns whole, with the tool round it belongs to, and is held until the budget forces it.</p>
              <CostTable cost={m.return} />
            </>
          )}
          {!sim && (
            <div class="buttons left">
              {out && !m.erased && <button type="button" class="primary" onClick={ask("return", `Bring back #${n}`)}>Bring it back…</button>}
              {m.pinned ? <button type="button" onClick={ask("unpin", `Unpin #${n}`)}>Unpin…</button> : <button type="button" onClick={ask("pin", `Pin #${n}`)}>Pin…</button>}
              {m.held ? <button type="button" onClick={ask("release", `Release #${n}`)}>Release…</button> : <button type="button" onClick={ask("hold", `Hold #${n}`)}>Hold…</button>}
              <button type="button" onClick={ask("compact", `Compact what is above #${n}`)}>Compact above here…</button>
              {!m.erased && <button type="button" class="danger" onClick={ask("erase", `Erase #${n} for good`)}>Erase…</button>}
            </div>
          )}
          <h3>What became of it</h3>
          {m.life.length === 0 && <p>No plan ever touched it: it was sent whole in every prompt.</p>}
          <ol class="life">
            {spells(m.life).map(([first, ...later]) => (
              <li key={first!.plan_version}>
                <LifeLine l={first!} thread={thread} sim={sim} />
                {later.length > 0 && <details><summary><small>{later.length === 1 ? `plan ${later[0]!.plan_version}` : `plans ${later[0]!.plan_version} to ${later.at(-1)!.plan_version}`} said so again, in other records</small></summary>
                  {later.map((l) => <LifeLine key={l.plan_version} l={l} thread={thread} sim={sim} />)}</details>}
              </li>
            ))}
          </ol>
          <h3>Who refers to it</h3>
          {m.references.length === 0 && <p class="faint">Nothing in the log or in the plan in force.</p>}
          <ul class="refs">
            {m.references.map((r, i) => (
              <li key={i}>{r.number ? <a href={href(["t", thread, "m", r.number], { sim })}>{r.text}, #{r.number}</a> : <><span class="faint">{r.record}</span> {plain(r.text)}</>}</li>
            ))}
          </ul>
        </section>
      </div>
    </article>
  );
}

// spells joins versions that follow each other and leave the message in the same state.
function spells(life: Life[]): Life[][] {
  const out: Life[][] = [];
  for (const l of life) {
    const last = out[out.length - 1];
    if (last && last[0]!.state === l.state) last.push(l);
    else out.push([l]);
  }
  return out;
}

function LifeLine({ l, thread, sim }: { l: Life; thread: string; sim?: string }) {
  return (
    <>
      <p><a href={href(["t", thread, "plans", l.plan_version], { sim })}>Plan {l.plan_version}</a> <Chip state={l.state} /> <small>{stamp(l.created)}</small></p>
      {l.record && <p class="lead">{plain(l.reason || "no reason recorded")} · {l.strategy || "a person"} · record {l.record}, #{l.first}{l.last !== l.first && `–#${l.last}`}{l.freed_tokens !== undefined && `, ${tokens(l.freed_tokens)} freed`}</p>}
    </>
  );
}

// RowView is one message of a prompt, whole.
export function RowView({ thread, row, step, sim }: { thread: string; row: number; step: number; sim?: string }) {
  const got = useGet<PromptPage>(of(thread, "prompt", { step, sim, from: row - 1, limit: 1 }));
  const r: Row | undefined = got.data?.rows[0];
  if (!r) return <><Fail fault={got.fault} /><Wait when={got.busy} /></>;
  return (
    <article class="message">
      <Title text={`row ${row}`} />
      <header>
        <h2>In the prompt of step {num(step)}, row {num(row)} <Role role={r.role} /> <Chip state={r.state} /></h2>
        <p class="lead">{tokens(r.tokens)} · stands for {r.first === r.last ? <a href={href(["t", thread, "m", r.first], { sim })}>#{r.first}</a> : <><a href={href(["t", thread, "m", r.first], { sim })}>#{r.first}</a> to <a href={href(["t", thread, "m", r.last], { sim })}>#{r.last}</a></>}{r.record && ` · record ${r.record}`}</p>
      </header>
      <TextView path={(skip) => of(thread, `prompt/${row}/text`, { skip, step, sim })} bytes={r.bytes} />
      <p><a href={href(["t", thread, "prompt"], { step, sim })}>Back to the prompt</a></p>
    </article>
  );
}

// TextView shows a text piece by piece.
export function TextView({ path, bytes }: { path: (skip: number) => string; bytes: number }) {
  const first = useGet<Text>(path(0));
  const [more, setMore] = useState<Text[]>([]);
  const [error, setError] = useState("");
  useEffect(() => setMore([]), [path(0), first.data]);
  const all = first.data ? [first.data, ...more] : [];
  const next = all[all.length - 1]?.next;
  const read = async () => {
    try { setMore([...more, await get<Text>(path(next!))]); } catch (e) { setError(faultOf(e).message); }
  };
  return (
    <>
      <Fail fault={first.fault} />
      <Wait when={first.busy && !first.data} />
      <div class="said" tabIndex={0} role="group" aria-label="text">{all.map((t) => <pre key={t.skip} dir="auto">{plain(t.text)}</pre>)}{all.length > 0 && !all[0]!.text && <p class="faint">(no text)</p>}</div>
      {next !== undefined && <p><button type="button" onClick={read}>Show more</button> <small>{short(next)} of {short(bytes || all[0]!.bytes)} bytes are shown</small></p>}
      {error && <p class="fault">{error}</p>}
    </>
  );
}
