import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog, Notices, act } from "./actions";
import { of, type Session, type Summary } from "./api";
import { EventsView } from "./events";
import { count, num, oneLine, percent, plain, short, usd } from "./format";
import { refresh, useEvents, useGet } from "./hooks";
import { MessageView, RowView } from "./message";
import { Fail, Tile, Title, Wait } from "./parts";
import { PlansView } from "./plans";
import { PromptView } from "./prompt";
import { go, href, useRoute } from "./route";
import { SearchView } from "./search";
import "./style.css";
import { ThreadsView } from "./threads";
import { TimelineView } from "./timeline";
import { WhatIfView } from "./whatif";

const tabs = [["", "Timeline"], ["prompt", "Prompt"], ["plans", "Plans"], ["whatif", "What if"], ["search", "Search"], ["events", "Events"]] as const;

function App() {
  const r = useRoute();
  const session = useGet<Session>("session");
  const [help, setHelp] = useState(false);
  useTheme();
  useShortcuts(r.parts, () => setHelp((h) => !h));
  const thread = r.parts[0] === "t" ? r.parts[1] : undefined;
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to the content</a>
      <header class="top">
        <a class="brand" href="#/"><span aria-hidden="true" class="mark" />Précis <small>inspector</small></a>
        <nav aria-label="pages"><a href="#/" aria-current={!thread && r.parts[0] !== "events" ? "page" : undefined}>Threads</a><a href="#/events" aria-current={r.parts[0] === "events" ? "page" : undefined}>Events</a></nav>
        <span class="grow" />
        {session.data?.tenant && <span class="chip">tenant {plain(session.data.tenant)}</span>}
        {session.data?.read_only && <span class="chip">read only</span>}
        {session.data?.live && <span class="chip on">live</span>}
        <button type="button" class="plain" onClick={toggleTheme} aria-label="dark or light">◐</button>
        <button type="button" class="plain" onClick={() => setHelp(true)} aria-label="keyboard help">?</button>
      </header>
      <main id="main" tabIndex={-1}>
        <Fail fault={session.fault} />
        {session.data && (thread !== undefined ? <ThreadView key={thread} thread={thread} parts={r.parts.slice(2)} query={r.query} session={session.data} />
          : r.parts[0] === "events" ? <EventsView session={session.data} /> : <ThreadsView query={r.query} tenant={session.data.tenant} />)}
      </main>
      <Notices />
      <Dialog />
      {help && <Help close={() => setHelp(false)} />}
    </>
  );
}

function ThreadView({ thread, parts, query, session }: { thread: string; parts: string[]; query: URLSearchParams; session: Session }) {
  const got = useGet<Summary>(of(thread, "summary"));
  const [newer, setNewer] = useState<number | undefined>();
  const s = got.data;
  const shown = useRef({ version: 0, messages: 0 });
  if (s) shown.current = { version: s.plan_version, messages: s.messages };
  useEffect(() => setNewer(undefined), [s?.plan_version, s?.messages]);
  useEvents({
    moved: (m) => {
      if (m.thread === thread && (m.plan_version !== shown.current.version || m.messages !== shown.current.messages)) setNewer(m.plan_version);
    },
  });
  if (!s) return <><Title text={thread} />{got.fault?.code === "not_found"
    ? <p class="empty" role="alert">There is no thread {plain(thread)} here. <a href="#/">All threads</a></p> : <Fail fault={got.fault} />}<Wait when={got.busy} /></>;
  const tab = parts[0] ?? "", sim = query.get("sim") ?? undefined;
  const readOnly = session.read_only;
  return (
    <>
      <Title text={s.title || thread} />
      <div class="head">
        <div class="name">
          <h1 dir="auto">{plain(s.title || thread)}</h1>
          <button type="button" class="plain" onClick={() => act({ thread, version: s.plan_version, title: "Rename this thread", readOnly, action: { action: "rename", title: s.title ?? "" } })}>Rename</button>
          <a class="button plain" href={"api/v1/" + of(thread, "export")} download>Export</a>
          {!s.title && s.begins && <small class="begins" dir="auto">{oneLine(s.begins)}</small>}
          {s.parent && <small>{s.relation} of <a href={href(["t", s.parent])}>{plain(s.parent)}</a></small>}
        </div>
        <dl class="tiles">
          <Tile label="Next request" value={short(s.tokens)} note={s.budget ? `${percent(s.tokens, s.budget)} of ${short(s.budget)} tokens` : "tokens; budget n/a"} />
          <Tile label="In the log" value={short(s.logged_tokens)} note={`tokens, ${count(s.messages, "message")}, ${count(s.turns, "turn")}`} />
          <Tile label="Compactions" value={num(s.compactions)} note={s.plan_version ? `plan ${s.plan_version} in force` : "no plan"} />
          <Tile label="Turns left" value={s.turns_left === undefined ? "n/a" : s.turns_left === 0 ? "none" : `about ${num(s.turns_left)}`} note="before the next, at this growth" />
          <Tile label="Input saved, net" value={s.usd !== undefined ? usd(s.uncompacted_usd! - s.usd) : "n/a"} note={s.usd !== undefined ? `${usd(s.usd)} instead of ${usd(s.uncompacted_usd)}, estimated` : "no prices are known"} />
          <Tile label="Model" value={<span class="model">{s.model ?? "n/a"}</span>} note={[s.agent, s.policy && `policy ${s.policy}`].filter(Boolean).join(" · ")} />
        </dl>
      </div>
      {newer !== undefined && <p class="banner" role="status">This thread has changed: {newer !== s.plan_version ? `plan ${newer} is in force now` : "it has new messages"}. <button type="button" onClick={refresh}>Show it</button></p>}
      {sim && <p class="banner">This is an experiment, kept in memory: {sim}. <a href={href(tab === "m" ? ["t", thread, "m", parts[1] ?? 1] : ["t", thread, tab === "row" ? "prompt" : tab], { step: query.get("step") ?? undefined })}>Show what was really sent</a></p>}
      <nav class="tabs" aria-label="views of the thread">
        {tabs.map(([id, name]) => <a key={id} href={href(id ? ["t", thread, id] : ["t", thread])} aria-current={tab === id || (id === "prompt" && (tab === "m" || tab === "row")) ? "page" : undefined}>{name}</a>)}
      </nav>
      {s.messages === 0 ? <p class="empty">This thread is empty.</p>
        : tab === "prompt" ? <PromptView thread={thread} query={query} sim={sim} steps={s.steps} />
        : tab === "m" ? <MessageView thread={thread} n={Math.max(1, Math.min(s.messages, Number(parts[1]) || 1))} last={s.messages} sim={sim} version={s.plan_version} readOnly={readOnly} />
        : tab === "row" ? <RowView thread={thread} row={Number(parts[1]) || 1} step={Number(query.get("step")) || s.steps} sim={sim} />
        : tab === "plans" ? <PlansView thread={thread} version={Number(parts[1]) || undefined} against={query.has("from") ? Number(query.get("from")) : undefined} sim={sim} lost={query.has("lost")} current={s.plan_version} readOnly={readOnly} />
        : tab === "whatif" ? <WhatIfView thread={thread} query={query} session={session} summary={s} />
        : tab === "search" ? <SearchView thread={thread} q={query.get("q") ?? ""} covered={query.get("covered") === "1"} />
        : tab === "events" ? <EventsView session={session} thread={thread} />
        : <TimelineView thread={thread} query={query} sim={sim} base={["t", thread]} label="timeline" />}
    </>
  );
}

const themeKey = "precis-theme";

function useTheme() {
  useEffect(() => {
    const was = localStorage.getItem(themeKey);
    if (was) document.documentElement.dataset.theme = was;
  }, []);
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem(themeKey, root.dataset.theme);
  dispatchEvent(new Event("themechange"));
}

function useShortcuts(parts: string[], help: () => void) {
  const now = useRef({ parts, help });
  now.current = { parts, help };
  useEffect(() => {
    const on = (e: KeyboardEvent) => {
      const el = e.target as HTMLElement;
      if (e.altKey || e.ctrlKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(el.tagName) || document.querySelector("dialog[open]")) return;
      const thread = now.current.parts[0] === "t" ? now.current.parts[1] : undefined;
      if (e.key === "/") {
        e.preventDefault();
        if (thread) go(href(["t", thread, "search"]));
        else if (document.getElementById("find")) document.getElementById("find")!.focus();
        else go("#/");
      } else if (e.key === "?") {
        e.preventDefault();
        now.current.help();
      } else if (thread && /^[1-6]$/.test(e.key)) {
        const id = tabs[Number(e.key) - 1]![0];
        go(href(id ? ["t", thread, id] : ["t", thread]));
      } else if (/^Arrow/.test(e.key) && (el === document.body || el.id === "main")) {
        document.querySelector<HTMLElement>(".charts, .list")?.focus();
        document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: e.key, bubbles: true }));
        e.preventDefault();
      }
    };
    addEventListener("keydown", on);
    return () => removeEventListener("keydown", on);
  }, []);
}

function Help({ close }: { close: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  const keys: [string, string][] = [
    ["←  →", "the step before and after, in the timeline and the prompt"], ["↑  ↓", "move in a list; Page Up, Page Down, Home, End, too"],
    ["Enter", "open what is chosen"], ["+  −", "zoom the timeline"], ["/", "search"], ["1 … 6", "the views of a thread"], ["Esc", "close a dialog"], ["?", "this help"],
  ];
  return (
    <dialog ref={box} aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keyboard</h2>
      <dl class="pairs">{keys.map(([k, t]) => <><dt><kbd>{k}</kbd></dt><dd>{t}</dd></>)}</dl>
      <h2>Words</h2>
      <dl class="pairs">
        <dt>step</dt><dd>one request to the model, as the log and the plan of then make it</dd>
        <dt>plan</dt><dd>what a prompt leaves out, and why; every version stays</dd>
        <dt>budget, trigger</dt><dd>the most tokens of a request; where a compaction begins</dd>
        <dt>pin, hold</dt><dd>kept word for word; left alone until the budget forces it</dd>
      </dl>
      <form method="dialog" class="buttons"><button class="primary">Close</button></form>
    </dialog>
  );
}

render(<App />, document.getElementById("app")!);
