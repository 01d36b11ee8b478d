const whole = new Intl.NumberFormat("en-US");

export const num = (n: number | undefined) => (n === undefined ? "n/a" : whole.format(Math.round(n)));

// short is a size in few digits: 1,234 → 1.2k.
export function short(n: number | undefined): string {
  if (n === undefined) return "n/a";
  const a = Math.abs(n);
  if (a < 1000) return String(Math.round(n));
  if (a < 1e6) return (n / 1e3).toFixed(a < 1e4 ? 1 : 0) + "k";
  if (a < 1e9) return (n / 1e6).toFixed(a < 1e7 ? 1 : 0) + "M";
  return (n / 1e9).toFixed(1) + "G";
}

export const tokens = (n: number | undefined) => (n === undefined ? "n/a" : `${num(n)} ${n === 1 ? "token" : "tokens"}`);

export function usd(n: number | undefined): string {
  if (n === undefined) return "n/a";
  const sign = n < 0 ? "−" : "";
  const a = Math.abs(n);
  return sign + "$" + (a >= 1 ? a.toFixed(2) : a >= 0.01 ? a.toFixed(3) : a === 0 ? "0" : a.toFixed(5));
}

export const percent = (part: number | undefined, all: number | undefined, digits = 0) =>
  part === undefined || !all ? "n/a" : ((100 * part) / all).toFixed(digits) + " %";

export const count = (n: number, one: string, many = one + "s") => `${num(n)} ${n === 1 ? one : many}`;

export function ago(iso: string | undefined, now = Date.now()): string {
  if (!iso) return "n/a";
  const t = Date.parse(iso);
  if (!(t > 0)) return "n/a";
  const s = Math.max(0, (now - t) / 1000);
  if (s < 60) return "just now";
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ago`;
  if (s < 86400 * 60) return count(Math.floor(s / 86400), "day") + " ago";
  return new Date(t).toISOString().slice(0, 10);
}

export function stamp(iso: string | undefined): string {
  if (!iso) return "n/a";
  const d = new Date(iso);
  return d.getTime() > 0 ? d.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" }) : "n/a";
}

// plain makes text of a conversation harmless to look at: what a terminal or a browser
// would act on is shown as a sign. It is put on the page as text, never as markup.
export function plain(text: string): string {
  return text
    .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, "␛")
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/\u007f/g, "␡")
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/g, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase()}⟩`)
    .replace(/\r\n?/g, "\n");
}

export const oneLine = (text: string) => plain(text.slice(0, 400)).replace(/\s+/g, " ").trim();

export const stateName: Record<string, string> = {
  whole: "whole", thinned: "thinned", summarized: "summarized", cleared: "cleared", externalized: "externalized", dropped: "dropped",
  came_back: "came back",
};

export const stateHelp: Record<string, string> = {
  whole: "sent exactly as it was said",
  thinned: "sent shorter: a preview, a denser form, cleared arguments",
  summarized: "a summary stands for it",
  cleared: "a placeholder with its key fields stands for it",
  externalized: "a pointer stands for it; the content can be read back",
  dropped: "left out, with a reason in the plan",
  came_back: "whole again after a plan had left it out",
};

export const layerName: Record<string, string> = {
  system: "system and tools", summary: "summaries", user: "user", assistant: "agent", tool: "tool results", thinned: "thinned",
  pointer: "pointers", came_back: "came back", summarized: "summarized", cleared: "cleared", externalized: "externalized", dropped: "dropped",
};
