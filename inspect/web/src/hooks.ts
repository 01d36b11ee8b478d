import { useEffect, useRef, useState } from "preact/hooks";
import { Fault, get, type Moved } from "./api";

export interface Loaded<T> { data?: T; fault?: Fault; busy: boolean }

// epoch counts what this page changed or was asked to read anew.
let epoch = 0;
const refreshers = new Set<() => void>();

export function refresh() {
  epoch++;
  refreshers.forEach((f) => f());
}

export function useEpoch(): number {
  const [n, set] = useState(epoch);
  useEffect(() => {
    const f = () => set(epoch);
    refreshers.add(f);
    return () => void refreshers.delete(f);
  }, []);
  return n;
}

// useGet reads an address of the API, and again after refresh. What it has stays while
// the next is read.
export function useGet<T>(path: string | undefined): Loaded<T> {
  const at = useEpoch();
  const [state, set] = useState<Loaded<T> & { path?: string }>({ busy: true });
  useEffect(() => {
    if (!path) return;
    const stop = new AbortController();
    set((s) => ({ ...s, busy: true }));
    get<T>(path, stop.signal).then(
      (data) => set({ data, busy: false, path }),
      (e) => { if (!stop.signal.aborted) set({ fault: faultOf(e), busy: false, path }); },
    );
    return () => stop.abort();
  }, [path, at]);
  return state;
}

export const faultOf = (e: unknown) => (e instanceof Fault ? e : new Fault("unreachable", "The server cannot be reached. Is precis inspect still running?"));

type Listener = { event?: (e: any) => void; moved?: (m: Moved) => void; state?: (open: boolean) => void };
const listeners = new Set<Listener>();
let source: EventSource | undefined;

// useEvents listens to the server; all listeners share one connection.
export function useEvents(l: Listener) {
  const ref = useRef(l);
  ref.current = l;
  useEffect(() => {
    const mine: Listener = {
      event: (e) => ref.current.event?.(e), moved: (m) => ref.current.moved?.(m), state: (o) => ref.current.state?.(o),
    };
    listeners.add(mine);
    connect();
    return () => void listeners.delete(mine);
  }, []);
}

function connect() {
  if (source) return;
  source = new EventSource("api/v1/events");
  source.addEventListener("event", (e) => tell((l) => l.event?.(JSON.parse((e as MessageEvent).data))));
  source.addEventListener("moved", (e) => tell((l) => l.moved?.(JSON.parse((e as MessageEvent).data))));
  source.onopen = () => tell((l) => l.state?.(true));
  source.onerror = () => tell((l) => l.state?.(false));
}

const tell = (f: (l: Listener) => void) => listeners.forEach(f);
