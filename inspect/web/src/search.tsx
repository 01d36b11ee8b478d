import { useEffect, useRef, useState } from "preact/hooks";
import { of, type Hits } from "./api";
import { count, num, plain } from "./format";
import { useGet } from "./hooks";
import { Chip, Fail, Role, Title, Tool, Wait } from "./parts";
import { go, href } from "./route";

// SearchView finds what was ever said in a thread, whether a prompt still shows it or not.
export function SearchView({ thread, q, covered }: { thread: string; q: string; covered: boolean }) {
  const [text, setText] = useState(q);
  const input = useRef<HTMLInputElement>(null);
  const got = useGet<Hits>(q ? of(thread, "search", { q, limit: 50, covered: covered ? 1 : undefined }) : undefined);
  useEffect(() => { input.current?.focus(); }, []);
  useEffect(() => setText(q), [q]);
  const to = (q: string, covered: boolean) => go(href(["t", thread, "search"], { q, covered: covered ? 1 : undefined }), true);
  return (
    <section class="search" aria-label="search">
      <Title text="search" />
      <form class="bar" role="search" onSubmit={(e) => { e.preventDefault(); to(text, covered); }}>
        <input ref={input} type="search" aria-label="words, names or paths" placeholder="words, names or paths" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <button type="submit" class="primary">Search</button>
        <label class="check"><input type="checkbox" checked={covered} onChange={() => to(text, !covered)} /> only what left the prompt</label>
      </form>
      <Fail fault={q ? got.fault : undefined} />
      {q && <Wait when={got.busy && got.data?.query !== q} />}
      {!q && <p class="empty">It ranks everything that was ever said in this thread, as the model's own look-ups do.</p>}
      {q && got.data && got.data.query === q && (
        <>
          <p class="lead">{got.data.total === 0 ? "Nothing was found." : `${count(got.data.total, "text")} match${got.data.total === 1 ? "es" : ""}, best first${got.data.total > got.data.hits.length ? `; the first ${num(got.data.hits.length)} are shown` : ""}.`}</p>
          <ol class="hits">
            {got.data.hits.map((h) => (
              <li key={h.ref}>
                <p><a href={href(["t", thread, "m", h.number])}>{h.ref}</a> <Role role={h.role} /> <Tool name={h.tool} /> <Chip state={h.state} /> <small>turn {num(h.turn)}{h.line ? `, line ${num(h.line)}` : ""}</small></p>
                <pre dir="auto">{plain(h.text)}</pre>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}
