import { useEffect, useRef, useState } from "preact/hooks";
import { of, post, type Action, type Cost, type Done, type Fault } from "./api";
import { count, num, percent, tokens, usd } from "./format";
import { faultOf, refresh } from "./hooks";

// Ask is an action that a person thinks about.
export interface Ask { thread: string; version: number; title: string; action: Omit<Action, "preview" | "plan_version">; readOnly: boolean }

let open: ((a: Ask) => void) | undefined;

// act asks about an action: what it costs first, then whether to do it.
export const act = (a: Ask) => open?.(a);

let say: ((text: string) => void) | undefined;
export const notice = (text: string) => say?.(text);

// Dialog is where actions are asked about. There is one on the page.
export function Dialog() {
  const [ask, setAsk] = useState<Ask | undefined>();
  const [done, setDone] = useState<Done | undefined>();
  const [fault, setFault] = useState<Fault | undefined>();
  const [busy, setBusy] = useState(false);
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const [title, setTitle] = useState("");
  const box = useRef<HTMLDialogElement>(null);
  open = (a) => {
    setAsk(a);
    setDone(undefined);
    setFault(undefined);
    setTyped("");
    setReason("");
    setTitle(a.action.title ?? "");
  };
  useEffect(() => {
    if (!ask) return;
    box.current?.showModal();
    const stop = new AbortController();
    post<Done>(of(ask.thread, "actions"), { ...ask.action, plan_version: ask.version, preview: true }, stop.signal).then(setDone, (e) => {
      if (!stop.signal.aborted) setFault(faultOf(e));
    });
    return () => stop.abort();
  }, [ask]);
  if (!ask) return null;
  const close = () => { box.current?.close(); setAsk(undefined); };
  const erase = ask.action.action === "erase", rename = ask.action.action === "rename";
  const words = `erase #${ask.action.message}`;
  const idle = done?.cost?.outcome !== undefined && done.cost.outcome !== "" && done.cost.outcome !== "compacted";
  const ready = !!done && !busy && !ask.readOnly && !idle && (!erase || (typed.trim() === words && reason.trim() !== ""));
  const submit = async (e: Event) => {
    e.preventDefault();
    if (!ready) return;
    setBusy(true);
    setFault(undefined);
    try {
      const made = await post<Done>(of(ask.thread, "actions"), {
        ...ask.action, plan_version: ask.version, preview: false,
        ...(erase ? { confirm: typed, reason } : {}), ...(rename ? { title } : {}),
      });
      close();
      notice(rename ? "Renamed." : made.text);
      refresh();
    } catch (e) {
      setFault(faultOf(e));
    } finally {
      setBusy(false);
    }
  };
  return (
    <dialog ref={box} aria-labelledby="ask-title" onCancel={close} onClose={() => ask && setAsk(undefined)}>
      <form onSubmit={submit} method="dialog">
        <h2 id="ask-title">{ask.title}</h2>
        {!done && !fault && <p class="wait" role="status">computing what it costs…</p>}
        {done && <p>{done.text}</p>}
        {done?.cost && <CostTable cost={done.cost} />}
        {rename && <label class="field">Name<input value={title} maxLength={200} onInput={(e) => setTitle(e.currentTarget.value)} autofocus /></label>}
        {erase && done && (
          <>
            <label class="field">Why (it stays in the tombstone)<input value={reason} onInput={(e) => setReason(e.currentTarget.value)} required /></label>
            <label class="field">Type <kbd>{words}</kbd> to confirm<input value={typed} onInput={(e) => setTyped(e.currentTarget.value)} autocomplete="off" required /></label>
          </>
        )}
        {done && !erase && !rename && <p class="note">It makes a new plan version; {done.can_undo ? "an undo takes it back." : ask.version ? `plan ${ask.version} can be restored.` : "every version can be restored."}</p>}
        {ask.readOnly && <p class="note">This page only reads: nothing can be changed here.</p>}
        {fault && <p class="fault" role="alert">{fault.message} {fault.code === "stale" && <button type="button" onClick={() => { close(); refresh(); }}>Show the new plan</button>}</p>}
        <div class="buttons">
          <button type="button" onClick={close}>Leave it</button>
          <button type="submit" class={erase ? "danger" : "primary"} disabled={!ready}>{erase ? "Erase for good" : rename ? "Rename" : "Do it"}</button>
        </div>
      </form>
    </dialog>
  );
}

export function CostTable({ cost }: { cost: Cost }) {
  const more = cost.after_tokens - cost.before_tokens;
  return (
    <dl class="pairs cost">
      <dt>next request</dt><dd>{tokens(cost.after_tokens)} ({more >= 0 ? "+" : "−"}{num(Math.abs(more))}){cost.share_of_budget !== undefined && `, ${percent(cost.share_of_budget, 1, 1)} of the budget`}
        {more > 0 && (cost.share_of_budget ?? 0) > 1 && <span class="over">That is too much: the next request is compacted again before it goes out, and may leave it out again.</span>}</dd>
      <dt>cache</dt><dd>{cost.rewritten_tokens > 0 && cost.kept_tokens < cost.before_tokens
        ? `breaks after ${tokens(cost.kept_tokens)}; ${num(cost.rewritten_tokens)} are read anew` : "is not broken"}</dd>
      <dt>extra cost, once</dt><dd>{cost.usd === undefined ? "n/a" : `${usd(cost.usd)} (estimated)`}</dd>
      <dt>messages</dt><dd>{[cost.messages_back > 0 && `${count(cost.messages_back, "message")} come back`, cost.messages_out > 0 && `${count(cost.messages_out, "message")} leave`].filter(Boolean).join(", ") || "none move"}</dd>
    </dl>
  );
}

// Notices are short sentences that go by themselves.
export function Notices() {
  const [text, setText] = useState("");
  say = setText;
  useEffect(() => {
    if (!text) return;
    const t = setTimeout(() => setText(""), 8000);
    return () => clearTimeout(t);
  }, [text]);
  return <div class="notices" role="status" aria-live="polite">{text && <p>{text} <button type="button" aria-label="dismiss" onClick={() => setText("")}>×</button></p>}</div>;
}
