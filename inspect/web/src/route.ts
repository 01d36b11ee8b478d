import { useEffect, useState } from "preact/hooks";

// A state of the page is an address: #/t/KEY/prompt?step=41.
export interface Route { parts: string[]; query: URLSearchParams }

export function parse(hash: string): Route {
  const [path, query] = hash.replace(/^#\/?/, "").split("?", 2);
  return { parts: (path ?? "").split("/").filter(Boolean).map(safeDecode), query: new URLSearchParams(query ?? "") };
}

function safeDecode(s: string): string {
  try { return decodeURIComponent(s); } catch { return s; }
}

export type Query = Record<string, string | number | undefined>;

export function href(parts: (string | number)[], query: Query = {}): string {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(query)) if (v !== undefined && v !== "") q.set(k, String(v));
  const tail = q.toString();
  return "#/" + parts.map((p) => encodeURIComponent(String(p))).join("/") + (tail ? "?" + tail : "");
}

export function go(to: string, replace = false) {
  if (replace) {
    history.replaceState(null, "", to);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = to;
  }
}

export function useRoute(): Route {
  const [r, set] = useState(() => parse(location.hash));
  useEffect(() => {
    const on = () => set(parse(location.hash));
    addEventListener("hashchange", on);
    return () => removeEventListener("hashchange", on);
  }, []);
  return r;
}
