import { useState } from "preact/hooks";
import { of, type Lost } from "./api";
import { num, oneLine } from "./format";
import { useGet } from "./hooks";
import { Fail, Wait } from "./parts";
import { href } from "./route";

interface Props { thread: string; version: number; sim?: string; since?: number; shown?: boolean }

// LostView names the values that left the prompt with a version of a plan. They are counted when it is opened.
export function LostView(props: Props) {
  const [open, set] = useState(!!props.shown);
  return (
    <details class="lost" open={open} onToggle={(e) => set(e.currentTarget.open)}>
      <summary>{props.since === 0 ? "All that left so far: of everything in the log" : "Paths, commands, numbers and ids that left the prompt with this version"}</summary>
      {open && <LostTable {...props} />}
    </details>
  );
}

function LostTable({ thread, version, sim, since }: Props) {
  const got = useGet<Lost>(of(thread, `plans/${version}/lost`, { sim, since }));
  const d = got.data;
  if (!d) return <><Fail fault={got.fault} /><Wait when={got.busy} /></>;
  const stood = d.since ? `stood in the prompt under plan ${d.since}` : "the log has";
  return (
    <>
      {d.kinds.length === 0 ? <p class="note">None: all such values that {stood} stand in the prompt of this version.</p> : (
        <>
          <p class="note">Each is counted once, among those that {stood}.</p>
          <div class="scroll" tabIndex={0} role="group" aria-label="values that left">
            <table>
              <thead><tr><th scope="col">kind</th><th scope="col" class="n">left</th><th scope="col" class="n">of</th><th scope="col">the most mentioned, and where first</th></tr></thead>
              <tbody>{d.kinds.map((k) => (
                <tr key={k.kind}><th scope="row">{kindName(k.kind)}</th><td class="n">{num(k.lost)}</td><td class="n">{num(k.of)}</td><td class="names">
                  {k.names.map((x, i) => <span key={i}><code dir="auto">{oneLine(x.text)}</code> <a href={href(["t", thread, "m", x.message], { sim })}>#{x.message}</a></span>)}
                  {k.lost > k.names.length && <span class="faint">and {num(k.lost - k.names.length)} more</span>}
                </td></tr>
              ))}</tbody>
            </table>
          </div>
        </>
      )}
      {since === undefined && d.since > 0 && <LostView thread={thread} version={version} sim={sim} since={0} />}
    </>
  );
}

// kindName is what the values of a kind are called, as in the report of precis compact.
const kindName = (kind: string) => (kind === "url" || kind === "uuid" ? kind.toUpperCase() : kind) + "s";
