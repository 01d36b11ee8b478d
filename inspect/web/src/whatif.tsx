import { useEffect, useState } from "preact/hooks";
import { of, post, type Experiment, type Fault, type Judged, type Session, type Summary } from "./api";
import { count, num, percent, short, tokens, usd } from "./format";
import { faultOf, useEpoch, useGet } from "./hooks";
import { Fail, Title, Wait } from "./parts";
import { go, href } from "./route";
import { TimelineView } from "./timeline";

// WhatIfView runs the same thread under another policy or budget. Nothing is kept.
export function WhatIfView({ thread, query, session, summary }: { thread: string; query: URLSearchParams; session: Session; summary: Summary }) {
  const policy = query.get("policy") ?? "", budget = Number(query.get("budget")) || undefined;
  const [form, setForm] = useState({ policy: policy || summary.policy || "balanced", budget: String(budget ?? summary.budget ?? "") });
  const [made, setMade] = useState<Experiment | undefined>();
  const [fault, setFault] = useState<Fault | undefined>();
  const [judge, setJudge] = useState(false);
  const at = useEpoch();
  useEffect(() => {
    setMade(undefined);
    setFault(undefined);
    setJudge(false);
    if (!policy && !budget) return;
    const stop = new AbortController();
    post<Experiment>(of(thread, "whatif"), { policy, budget: budget ?? 0 }, stop.signal).then(setMade, (e) => { if (!stop.signal.aborted) setFault(faultOf(e)); });
    return () => stop.abort();
  }, [thread, policy, budget, at]);
  const run = (e: Event) => {
    e.preventDefault();
    go(href(["t", thread, "whatif"], { policy: form.policy, budget: amount(form.budget) }));
  };
  const step = Number(query.get("step")) || undefined;
  const to = (n: number) => go(href(["t", thread, "whatif"], { policy, budget, step: n }), true);
  return (
    <section class="whatif" aria-label="what if">
      <Title text="what if" />
      <form class="bar" onSubmit={run}>
        <label class="field inline">Policy <select value={form.policy} onChange={(e) => setForm({ ...form, policy: e.currentTarget.value })}>{[...new Set([form.policy, ...session.policies])].map((p) => <option key={p}>{p}</option>)}</select></label>
        <label class="field inline">Budget, tokens <input size={9} value={form.budget} placeholder="32k" onInput={(e) => setForm({ ...form, budget: e.currentTarget.value })} /></label>
        <button type="submit" class="primary">Run</button>
        <p class="lead">The real engine goes through every request again, without a model, in memory. Nothing is committed.</p>
      </form>
      <Fail fault={fault} />
      {(policy || budget) && !made && <Wait when={!fault} what={`going through ${count(summary.steps, "request")} again`} />}
      {made && (
        <>
          <div class="sides">
            <div><h2>As it was <small>{made.was.policy ?? "no plan"}, {tokens(made.was.budget)}</small></h2>
              <TimelineView thread={thread} query={query} base={["t", thread, "whatif"]} label="timeline as it was" compact step={step} onStep={to} /></div>
            <div><h2>As it would be <small>{made.policy}, {tokens(made.budget)}</small></h2>
              <TimelineView thread={thread} query={query} sim={made.sim} base={["t", thread, "whatif"]} label="timeline as it would be" compact step={step} onStep={to} /></div>
          </div>
          <p class="buttons left">Step {num(step ?? made.was.steps)}:
            <a class="button" href={href(["t", thread, "prompt"], { step: step ?? made.was.steps })}>its prompt as it was</a>
            <a class="button" href={href(["t", thread, "prompt"], { step: step ?? made.is.steps, sim: made.sim })}>as it would be</a></p>
          <h3>In sum</h3>
          <Compare was={made.was} is={made.is} />
          <h3>Judges of replay</h3>
          {judge ? <Judges thread={thread} policy={policy} budget={budget ?? made.budget} /> : <p><button type="button" onClick={() => setJudge(true)}>Judge both</button> <small>What each step needed of its past, and whether its prompt still had it. In a thread of 1,000 messages it takes half a minute.</small></p>}
        </>
      )}
    </section>
  );
}

function amount(text: string): number | undefined {
  const m = /^\s*([\d.,]+)\s*([km]?)\s*$/i.exec(text);
  if (!m) return undefined;
  const n = Number(m[1]!.replace(/,/g, "")) * ({ k: 1e3, m: 1e6 }[m[2]!.toLowerCase()] ?? 1);
  return n >= 1 ? Math.round(n) : undefined;
}

function Compare({ was, is }: { was: Summary; is: Summary }) {
  const rows: [string, (s: Summary) => string][] = [
    ["tokens sent, all requests", (s) => num(s.sent_tokens)],
    ["of them began like the request before", (s) => percent(s.shared_tokens, s.sent_tokens)],
    ["compactions", (s) => num(s.compactions)],
    ["next request, tokens", (s) => num(s.tokens)],
    ["input bill, estimated", (s) => usd(s.usd)],
    ["had everything been sent", (s) => usd(s.uncompacted_usd)],
  ];
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="comparison"><table>
      <thead><tr><th scope="col"><span class="sr">figure</span></th><th scope="col" class="n">as it was</th><th scope="col" class="n">as it would be</th></tr></thead>
      <tbody>{rows.map(([name, f]) => <tr key={name}><th scope="row">{name}</th><td class="n">{f(was)}</td><td class="n">{f(is)}</td></tr>)}</tbody>
    </table></div>
  );
}

function Judges({ thread, policy, budget }: { thread: string; policy: string; budget: number }) {
  const got = useGet<Judged>(of(thread, "judge", { policy, budget }));
  const j = got.data;
  if (!j) return <><Fail fault={got.fault} /><Wait when={got.busy} what="judging both" /></>;
  const p = (n: number | undefined) => (n === undefined ? "n/a" : n.toFixed(1) + " %");
  const rows: [string, (i: number) => string][] = [
    ["needs met word for word", (i) => p(j.verdicts[i]!.literal_percent)],
    ["needs met with what they stood beside", (i) => p(j.verdicts[i]!.supported_percent)],
    ["needs met or pointed at", (i) => p(j.verdicts[i]!.referenced_percent)],
    ["text that the next action copies", (i) => p(j.verdicts[i]!.copied_percent)],
    ["true statements of the state", (i) => p(j.verdicts[i]!.true_percent)],
    ["completed side effects still shown", (i) => p(j.verdicts[i]!.done_percent)],
    ["rules of the user, word for word", (i) => p(j.verdicts[i]!.rules_percent)],
    ["prompts that broke the cached prefix", (i) => num(j.verdicts[i]!.prefix_breaks)],
    ["prompts over the budget", (i) => num(j.verdicts[i]!.over_budget)],
    ["tokens of all prompts, of sending everything", (i) => percent(j.verdicts[i]!.tokens, j.verdicts[i]!.everything_tokens)],
  ];
  return (
    <>
      {j.verdicts.some((v) => !v.entered) && <p class="note">A thread is judged at a budget that it clearly exceeds: where it is too short for one, its figures are n/a.</p>}
      <div class="scroll" tabIndex={0} role="group" aria-label="judges"><table>
        <thead><tr><th scope="col"><span class="sr">figure</span></th>{j.verdicts.map((v, i) => <th key={i} scope="col" class="n">{i ? "as it would be" : "as it was"}<br /><small>{v.policy}, {short(v.budget)}</small></th>)}</tr></thead>
        <tbody>{rows.map(([name, f]) => <tr key={name}><th scope="row">{name}</th>{j.verdicts.map((v, i) => <td key={i} class="n">{v.entered ? f(i) : "n/a"}</td>)}</tr>)}</tbody>
      </table></div>
      <p class="note">A need is a value that a step used and that was last said more than a quarter of the budget before; {j.verdicts.map((v) => num(v.needs)).join(" and ")} needs were found.</p>
    </>
  );
}
