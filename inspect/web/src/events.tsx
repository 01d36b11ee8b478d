import { useRef, useState } from "preact/hooks";
import type { Health, Session } from "./api";
import { num, percent, plain } from "./format";
import { useEvents, useGet } from "./hooks";
import { Fail, Title, Wait } from "./parts";
import { href } from "./route";

interface Seen { id: number; at: string; thread: string; what: string; detail: string }

const most = 500;

// EventsView shows what happens while the page is open, and how the proxy does.
export function EventsView({ session, thread }: { session: Session; thread?: string }) {
  const [all, setAll] = useState<Seen[]>([]);
  const [open, setOpen] = useState(true);
  const ids = useRef(0);
  const add = (s: Omit<Seen, "id">) => setAll((was) => [{ ...s, id: ++ids.current }, ...was].slice(0, most));
  useEvents({
    state: setOpen,
    event: (e) => add({ at: e.time, thread: e.thread ?? "", what: String(e.kind).replace(/_/g, " "), detail: detailOf(e) }),
    moved: (m) => add({ at: new Date().toISOString(), thread: m.thread, what: "thread changed", detail: `${num(m.messages)} messages, plan ${m.plan_version}` }),
  });
  const shown = thread ? all.filter((s) => s.thread === thread) : all;
  return (
    <section class="events" aria-label="events">
      <Title text="events" />
      {!thread && <h1 class="sr">Events</h1>}
      <p class="lead">{open ? "Listening." : "The connection is lost; trying again."} What happens from now on stands here, the newest first.</p>
      {shown.length === 0 && <p class="empty">Nothing has happened since this page was opened.</p>}
      <ol class="log" aria-live="polite">
        {shown.map((s) => (
          <li key={s.id}><time>{new Date(s.at).toLocaleTimeString("en-GB")}</time> <b>{s.what}</b> {s.thread && !thread && <a href={href(["t", s.thread])}>{plain(s.thread.slice(0, 24))}</a>} <span>{s.detail}</span></li>
        ))}
      </ol>
      {!thread && <ProxyHealth session={session} />}
    </section>
  );
}

function detailOf(e: any): string {
  const parts: string[] = [];
  if (e.outcome) parts.push(String(e.outcome).replace(/_/g, " "));
  if (e.strategy) parts.push(e.strategy);
  if (e.tokens_before) parts.push(`${num(e.tokens_before)} → ${num(e.tokens_after)} tokens`);
  else if (e.tokens_freed) parts.push(`${num(e.tokens_freed)} tokens freed`);
  if (e.span?.first_turn) parts.push(`turns ${e.span.first_turn} to ${e.span.last_turn}`);
  if (e.version) parts.push(`plan ${e.version}`);
  if (e.error) parts.push(plain(String(e.error)));
  return parts.join(" · ");
}

function ProxyHealth({ session }: { session: Session }) {
  const got = useGet<Health>(session.live ? "health" : undefined);
  const m = got.data?.metrics ?? [];
  const sum = (family: string, label = "") => {
    const xs = m.filter((x) => x.name.startsWith(family) && (x.name === family || x.name[family.length] === "{") && x.name.includes(label));
    return xs.length ? xs.reduce((a, x) => a + x.value, 0) : undefined;
  };
  return (
    <section aria-label="proxy">
      <h2>Proxy</h2>
      {!session.live && <p>n/a: no proxy runs beside this page. <code>precis serve --inspect ADDRESS</code> shows both.</p>}
      <Fail fault={session.live ? got.fault : undefined} />
      {session.live && <Wait when={got.busy && !got.data} />}
      {got.data?.live && (
        <>
          <p>Of {num(sum("precis_usage_tokens_total", 'kind="input"'))} input tokens that providers reported, {percent(sum("precis_usage_tokens_total", "cache_read"), sum("precis_usage_tokens_total", 'kind="input"'))} were read from their cache.</p>
          <div class="scroll" tabIndex={0} role="group" aria-label="figures of the proxy"><table><thead><tr><th scope="col">figure</th><th scope="col" class="n">value</th><th scope="col">what it is</th></tr></thead>
            <tbody>{m.filter((x) => !x.name.includes("_bucket")).map((x) => <tr key={x.name}><th scope="row"><code>{x.name}</code></th><td class="n">{num(x.value)}</td><td class="faint">{x.help}</td></tr>)}</tbody></table></div>
        </>
      )}
    </section>
  );
}
