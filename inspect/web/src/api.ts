// The types of docs/inspector.md, and the ways to ask for them.

export interface Session { api: string; tenant: string; read_only: boolean; live: boolean; policies: string[] }
export interface Page { from: number; total: number }
export interface Thread {
  thread: string; title?: string; agent?: string; messages: number; plan_version: number; parent?: string; relation?: string;
  created: string; updated: string;
}
export interface Threads extends Page { threads: Thread[] }
export interface Summary extends Thread {
  tip: string; begins?: string; turns: number; steps: number; model?: string; window?: number; policy?: string; budget?: number; trigger?: number;
  tokens: number; logged_tokens: number; compactions: number; turns_left?: number; sent_tokens: number; all_tokens: number;
  shared_tokens: number; usd?: number; uncompacted_usd?: number;
}
export interface Column {
  step: number; first_step: number; last_step: number; turn: number; messages: number; tokens: number; sent: number[]; left: number[];
  plan_version: number; plan_thread?: string; commits?: number[]; budget?: number; trigger?: number; shared: number; all: number; cache_hit?: number;
  usd?: number; uncached_usd?: number; time?: string;
}
export interface Timeline {
  steps: number; first_step: number; last_step: number; layers: string[]; absent: string[]; columns: Column[]; model?: string;
}
export type State = "whole" | "thinned" | "summarized" | "cleared" | "externalized" | "dropped" | "came_back";
export interface Card {
  number: number; id: string; turn: number; role: string; tool?: string; tokens: number; now: number; state: State; record?: string;
  row?: number; pinned?: boolean; held?: boolean; erased?: boolean; time?: string; text: string; bytes: number;
}
export interface Messages extends Page { step: number; messages: Card[] }
export interface Row {
  row: number; role: string; tool?: string; tokens: number; state: State; first: number; last: number; record?: string; text: string;
  bytes: number; change?: string;
}
export interface Gone { first: number; last: number; tokens: number; record?: string; reason?: string; text: string }
export interface PromptPage extends Page {
  step: number; steps: number; turn: number; messages: number; plan_version: number; plan_thread?: string; tokens: number; system_tokens: number;
  budget?: number; rows: Row[]; gone: Gone[]; gone_total: number;
}
export interface Text { text: string; skip: number; bytes: number; next?: number }
export interface Life {
  plan_version: number; created: string; state: State; record?: string; strategy?: string; reason?: string; freed_tokens?: number;
  first?: number; last?: number;
}
export interface Reference { kind: string; number?: number; record?: string; text: string }
export interface Message extends Card { life: Life[]; references: Reference[]; variants: number; return?: Cost }
export interface Cost {
  before_tokens: number; after_tokens: number; kept_tokens: number; rewritten_tokens: number; messages_back: number;
  messages_out: number; usd?: number; share_of_budget?: number; outcome?: string;
}
export interface Version {
  version: number; created: string; policy: string; messages: number; step: number; original_tokens: number; compacted_tokens: number;
  budget?: number; records: number; added: number; removed: number; pins: number; holds: number; verdict?: string; by_hand?: boolean;
  restores?: number;
}
export interface Plans extends Page { current: number; plans: Version[] }
export interface Rec {
  id: string; action: string; state: State; first: number; last: number; part?: number; first_turn: number; last_turn: number;
  strategy?: string; reason?: string; tokens: number; saves_tokens: number; artifact?: string; sensitivity?: string; text?: string;
}
export interface LostKind { kind: string; lost: number; of: number; names: { text: string; message: number }[] }
export interface Lost { version: number; since: number; kinds: LostKind[] }
export interface Line { section: string; text: string; status?: string; from?: number; record: string }
export interface Economy {
  verdict: string; read: number; write: number; usd_per_million?: number; before_tokens: number; after_tokens: number;
  cached_tokens: number; kept_tokens: number; cold?: boolean; turns: number; growth_tokens: number; remaining_turns: number;
  rewrite_cost: number; saved_per_turn: number; break_even_turns: number; waited_cost: number;
}
export interface Plan extends Version {
  record_list: Rec[]; economy?: Economy; state: Line[]; inputs: Record<string, unknown>; warnings: string[];
  pin_list: number[]; hold_list: number[];
}
export interface Difference { from: number; to: number; added: Rec[]; removed: Rec[]; kept: number }
export interface Hit {
  ref: string; number: number; turn: number; role: string; tool?: string; score: number; line: number; text: string; state: string;
  records?: string[];
}
export interface Hits extends Page { query: string; hits: Hit[] }
export interface Experiment { sim: string; policy: string; budget: number; was: Summary; is: Summary }
export interface Verdict {
  policy: string; budget: number; entered: boolean; steps: number; active_steps: number; literal_percent?: number;
  copied_percent?: number; true_percent?: number; done_percent?: number; rules_percent?: number;
  supported_percent?: number; referenced_percent?: number; needs: number; prefix_breaks: number; over_budget: number; tokens: number;
  everything_tokens: number;
}
export interface Judged { verdicts: Verdict[] }
export interface Health { live: boolean; metrics: { name: string; value: number; help?: string }[] }
export interface Moved { thread: string; messages: number; plan_version: number; updated: string }
export interface Action {
  action: string; preview: boolean; plan_version: number; record?: string; message?: number; restore?: number; budget?: number;
  title?: string; reason?: string; confirm?: string;
}
export interface Done { preview: boolean; plan_version: number; cost?: Cost; text: string; can_undo: boolean }

// Fault is an answer that says why not.
export class Fault extends Error {
  constructor(readonly code: string, text: string) { super(text); }
}

let csrf = "";

async function read<T>(resp: Response): Promise<T> {
  csrf = resp.headers.get("X-Precis-Csrf") || csrf;
  const text = await resp.text();
  let body: any;
  try { body = JSON.parse(text); } catch { throw new Fault("unreadable", `The server answered ${resp.status}, not in JSON.`); }
  if (!resp.ok) throw new Fault(body?.error?.code ?? "failed", body?.error?.text ?? `The server answered ${resp.status}.`);
  return body as T;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return read<T>(await fetch("api/v1/" + path, { signal, credentials: "same-origin" }));
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return read<T>(await fetch("api/v1/" + path, {
    method: "POST", credentials: "same-origin", body: JSON.stringify(body), signal,
    headers: { "Content-Type": "application/json", "X-Precis-Csrf": csrf },
  }));
}

export const of = (thread: string, rest: string, query: Record<string, string | number | undefined> = {}) => {
  const q = Object.entries(query).filter(([, v]) => v !== undefined && v !== "").map(([k, v]) => `${k}=${encodeURIComponent(String(v))}`);
  return `threads/${encodeURIComponent(thread)}/${rest}${q.length ? "?" + q.join("&") : ""}`;
};
