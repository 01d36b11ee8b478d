import type { ComponentChildren } from "preact";
import type { Fault } from "./api";
import { plain, stateHelp, stateName } from "./format";
import { refresh } from "./hooks";

export function Fail({ fault }: { fault?: Fault }) {
  return fault ? <p class="fault" role="alert">{fault.message} {fault.code === "unreachable" && <button type="button" onClick={refresh}>Try again</button>}</p> : null;
}

export function Wait({ when, what = "reading" }: { when: boolean; what?: string }) {
  return when ? <p class="wait" role="status">{what}…</p> : null;
}

export function Chip({ state }: { state: string }) {
  return <span class={"chip s-" + state} title={stateHelp[state]}>{stateName[state] ?? state}</span>;
}

export function Role({ role }: { role: string }) {
  return <span class={"role r-" + role}>{role === "assistant" ? "agent" : role}</span>;
}

// Tool names the tools of a message, as the conversation names them.
export function Tool({ name }: { name?: string }) {
  return name ? <span class="tool">{plain(name)}</span> : null;
}

export function Tile({ label, value, note }: { label: string; value: ComponentChildren; note?: ComponentChildren }) {
  return (
    <div class="tile">
      <dt>{label}</dt>
      <dd><strong>{value}</strong>{note && <small>{note}</small>}</dd>
    </div>
  );
}

export function Title({ text }: { text: string }) {
  document.title = text + " · Précis inspector";
  return null;
}
