import { of, type Difference, type Economy, type Line, type Plan, type Plans, type Rec } from "./api";
import { act } from "./actions";
import { count, num, plain, stamp, tokens } from "./format";
import { useGet } from "./hooks";
import { LostView } from "./lost";
import { Chip, Fail, Title, Wait } from "./parts";
import { href } from "./route";

interface Props { thread: string; version?: number; against?: number; sim?: string; lost?: boolean; current: number; readOnly: boolean }

// PlansView lists the versions of a plan, with one of them open.
export function PlansView({ thread, version, against, sim, lost, current, readOnly }: Props) {
  const list = useGet<Plans>(of(thread, "plans", { sim }));
  const shown = version ?? list.data?.current ?? current;
  const ask = (action: string, title: string, restore?: number) => () => act({ thread, version: current, title, readOnly, action: { action, restore } });
  return (
    <section class="plans" aria-label="plans">
      <Title text={`plan ${shown}`} />
      <div class="bar">
        <p class="lead">Every version stays. Any can be taken up again.</p><span class="grow" />
        {!sim && <><button type="button" onClick={ask("undo", "Undo the last change")} disabled={!current}>Undo…</button>
          <button type="button" onClick={ask("restore", "Leave nothing out", 0)} disabled={!current}>Restore everything…</button>
          <button type="button" onClick={ask("compact", "Compact now")}>Compact now…</button></>}
      </div>
      <Fail fault={list.fault} />
      <div class="split">
        <nav aria-label="versions" class="versions">
          <Wait when={list.busy && !list.data} />
          {list.data?.plans.length === 0 && <p class="empty">No plan yet: nothing was left out of any prompt.</p>}
          <ol>
            {list.data?.plans.map((v) => (
              <li key={v.version}><a href={href(["t", thread, "plans", v.version], { sim })} aria-current={v.version === shown ? "true" : undefined}>
                <b>Plan {v.version}</b> <span class="faint">{v.restores !== undefined ? (v.restores === 0 ? "nothing left out" : `restores ${v.restores}`) : v.by_hand ? "by hand" : v.policy}</span>
                <span class="nums">{num(v.original_tokens)} → {num(v.compacted_tokens)}</span>
                <small>step {num(v.step)} · +{v.added} −{v.removed} {v.pins > 0 && `· ${count(v.pins, "pin")}`} {v.holds > 0 && `· ${count(v.holds, "hold")}`}</small>
              </a></li>
            ))}
          </ol>
        </nav>
        {shown > 0 && list.data && <PlanView key={shown} thread={thread} version={shown} against={against} sim={sim} lost={lost} current={current} readOnly={readOnly} />}
      </div>
    </section>
  );
}

function PlanView({ thread, version, against, sim, lost, current, readOnly }: Props & { version: number }) {
  const got = useGet<Plan>(of(thread, `plans/${version}`, { sim }));
  const from = against ?? version - 1;
  const diff = useGet<Difference>(of(thread, `plans/${from}/diff/${version}`, { sim }));
  const p = got.data;
  if (!p) return <div class="plan"><Fail fault={got.fault} /><Wait when={got.busy} /></div>;
  const expand = (r: Rec) => () => act({ thread, version: current, title: `Bring back what record ${r.id} covers`, readOnly, action: { action: "expand", record: r.id } });
  return (
    <div class="plan">
      <header>
        <h2>Plan {version} {version === current && <span class="chip on">in force</span>}</h2>
        <p class="lead">{stamp(p.created)} · policy {p.policy} · made at #{num(p.messages)}, <a href={href(["t", thread, "prompt"], { step: p.step, sim })}>step {num(p.step)}</a> · {num(p.original_tokens)} → {tokens(p.compacted_tokens)}{p.budget ? ` · budget ${num(p.budget)}` : ""}</p>
        {!sim && version !== current && <button type="button" onClick={() => act({ thread, version: current, title: `Restore plan ${version}`, readOnly, action: { action: "restore", restore: version } })}>Restore this version…</button>}
      </header>
      {p.economy ? <EconomyTable e={p.economy} /> : <p class="note">Nobody asked whether this version pays: {p.by_hand ? "a person made it" : "its policy does not ask"}.</p>}
      <h3>What changed since plan {from}</h3>
      <Fail fault={diff.fault} />
      {diff.data && <p class="note">{count(diff.data.added.length, "record")} added, {num(diff.data.removed.length)} removed, {num(diff.data.kept)} kept.</p>}
      {diff.data && diff.data.added.length + diff.data.removed.length > 0 && <Records thread={thread} sim={sim} rows={[...diff.data.removed.map((r) => ({ r, mark: "−" })), ...diff.data.added.map((r) => ({ r, mark: "+" }))]} />}
      <h3>What left the prompt</h3>
      <LostView thread={thread} version={version} sim={sim} shown={lost} />
      <h3>All of the plan</h3>
      <details><summary>{count(p.record_list.length, "record")} in all</summary>
        <Records thread={thread} sim={sim} rows={p.record_list.map((r) => ({ r, mark: "" }))} onExpand={!sim && version === current ? expand : undefined} />
      </details>
      {(p.pin_list.length > 0 || p.hold_list.length > 0) && (
        <>
          <h3>Pins and holds</h3>
          <p>Pinned: <Numbers thread={thread} ns={p.pin_list} /></p>
          <p>Held until the budget forces them: <Numbers thread={thread} ns={p.hold_list} /></p>
        </>
      )}
      {p.state.length > 0 && <StateView thread={thread} sim={sim} lines={p.state} />}
      {p.warnings.length > 0 && <><h3>Warnings</h3><ul>{p.warnings.map((w, i) => <li key={i}>{plain(w)}</li>)}</ul></>}
    </div>
  );
}

function Numbers({ thread, ns }: { thread: string; ns: number[] }) {
  if (ns.length === 0) return <>none</>;
  return <>{ns.slice(0, 60).map((n) => <><a href={href(["t", thread, "m", n])}>#{n}</a> </>)}{ns.length > 60 && `and ${num(ns.length - 60)} more`}</>;
}

function Records({ rows, thread, sim, onExpand }: { rows: { r: Rec; mark: string }[]; thread: string; sim?: string; onExpand?: (r: Rec) => () => void }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="records">
      <table>
        <thead><tr><th scope="col"><span class="sr">change</span></th><th scope="col">messages</th><th scope="col">what</th><th scope="col" class="n">frees, tokens</th><th scope="col">why</th>{onExpand && <th scope="col"><span class="sr">action</span></th>}</tr></thead>
        <tbody>
          {rows.slice(0, 400).map(({ r, mark }) => (
            <tr key={mark + r.id} class={mark === "+" ? "added" : mark === "−" ? "removed" : ""}>
              <td>{mark}</td>
              <td class="nb"><a href={href(["t", thread, "m", r.first], { sim })}>#{r.first}{r.part ? `/${r.part}` : ""}</a>{r.last !== r.first && <>–<a href={href(["t", thread, "m", r.last], { sim })}>#{r.last}</a></>}</td>
              <td class="nb"><Chip state={r.state} /> {r.state === "thinned" && <small>{r.action}</small>}{r.sensitivity && <small> · {r.sensitivity}</small>}</td>
              <td class="n">{num(r.saves_tokens)}</td>
              <td>{plain(r.reason ?? "")} <small class="faint">{r.strategy} · {r.id}</small></td>
              {onExpand && <td><button type="button" onClick={onExpand(r)}>Bring back…</button></td>}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > 400 && <p class="note">The first 400 of {num(rows.length)} are shown.</p>}
    </div>
  );
}

const verdicts: Record<string, string> = {
  forced: "It had to be: the prompt did not fit the budget", free: "It cost nothing: the cache was cold, or nothing cached was lost", pays: "It pays: later requests save more than the rewrite costs",
  too_little: "It would free too little", too_late: "The conversation would end before it is paid back", too_soon: "Waiting still costs less than the rewrite",
};

function EconomyTable({ e }: { e: Economy }) {
  const usd = (n: number) => (e.usd_per_million ? ` ($${((n * e.usd_per_million) / 1e6).toFixed(4)})` : "");
  const rows: [string, string, string][] = [
    ["Before", tokens(e.before_tokens), "the prompt as it was"],
    ["After", tokens(e.after_tokens), "the prompt as planned"],
    ["In the cache", tokens(e.cached_tokens), "of the prompt before" + (e.cold ? "; it had expired" : "")],
    ["Still in the cache", tokens(e.kept_tokens), "of the prompt after: what stands before the first change"],
    ["Rewrite", num(e.rewrite_cost) + usd(e.rewrite_cost), "extra cost of the next request, in tokens of uncached input"],
    ["Saved", num(e.saved_per_turn) + usd(e.saved_per_turn) + " a turn", "what each later request costs less, in the same unit"],
    ["Break-even", e.break_even_turns < 0 ? "never" : `${e.break_even_turns.toFixed(1)} turns`, "until the rewrite is paid back"],
    ["Expected", `${e.remaining_turns.toFixed(0)} more turns`, `as many again as the ${num(e.turns)} so far; each adds about ${tokens(e.growth_tokens)}`],
    ["Waited", num(e.waited_cost) + usd(e.waited_cost), "extra cost of the larger prompt so far"],
  ];
  return (
    <>
      <h3>Was it worth it?</h3>
      <p>{verdicts[e.verdict] ?? e.verdict}.</p>
      <details><summary>The sum, term by term</summary>
        <div class="scroll" tabIndex={0} role="group" aria-label="economics"><table><thead><tr><th scope="col">term</th><th scope="col">value</th><th scope="col">what it is</th></tr></thead>
          <tbody>{rows.map(([a, b, c]) => <tr key={a}><th scope="row">{a}</th><td class="nb">{b}</td><td class="faint">{c}</td></tr>)}</tbody></table></div>
        <p class="note">A token read from the cache costs {e.read}, one written to it {e.write} of an uncached one.</p>
      </details>
    </>
  );
}

function StateView({ lines, thread, sim }: { lines: Line[]; thread: string; sim?: string }) {
  const names = [...new Set(lines.map((l) => l.section))];
  return (
    <>
      <h3>What the summaries say</h3>
      <div class="state">
        {names.map((name) => {
          const of = lines.filter((l) => l.section === name);
          return (
            <details key={name} open={of.length <= 8}>
              <summary>{sectionName[name] ?? name.replace(/_/g, " ")} <small>{num(of.length)}</small></summary>
              <ul>{of.slice(0, 200).map((l, i) => <li key={i}>{l.from ? <a href={href(["t", thread, "m", l.from], { sim })}>#{l.from}</a> : ""} {l.status && <span class="chip">{l.status}</span>} <span dir="auto">{plain(l.text)}</span></li>)}</ul>
            </details>
          );
        })}
      </div>
    </>
  );
}

const sectionName: Record<string, string> = {
  requests: "Requests of the user", current_task: "Current task", facts: "Rules and facts", current_plan: "Plan of the agent", open_items: "Open items",
  errors: "Errors", files: "Files", commands: "Commands", decisions: "Decisions", ledger: "Identifiers", tool_outcomes: "Other tools", artifacts: "Artifacts",
  last_completed: "Last completed", side_effects: "Side effects",
};
