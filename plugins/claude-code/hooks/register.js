// Claude Code's compaction by precis, from version 2.1.287 on; an older version has the
// hook in hooks.json. Where precis fails, takes longer than two seconds or has nothing to
// say, Claude Code compacts by itself. /compact undo takes the last compaction back.

const program = "precis";
const timeoutMs = 2000;
const heading = "[precis] ";

let ours = false; // the last compaction was made here

// run asks precis, and throws where it cannot.
async function run($, args) {
  return await $.process.run([program, ...args], { timeoutMs });
}

// said is what precis prints, "" where it fails.
async function said($, args) {
  const done = await run($, args);
  return done.exitCode === 0 && !done.isStdoutTruncated ? done.stdout : "";
}

async function compacted($) {
  const text = await said($, ["handover", "--session", await $.session.id(), "--whole"]);
  return text.startsWith(heading) ? { messages: [{ role: "user", text, toolUses: [] }] } : undefined;
}

// undone is never left to a model: what fails takes nothing back.
async function undone($, e) {
  try {
    const text = await said($, ["handover", "--session", await $.session.id(), "--before"]);
    if (text === "") return { skip: "precis: there is no compaction of its own to take back" };
    const later = e.messages.slice(1).filter((m) => m.text !== "" || m.toolUses.length > 0 || m.toolResults?.length > 0);
    return { messages: [...JSON.parse(text), ...later.map(({ handle, ...m }) => m)] };
  } catch {
    return { skip: "precis: the last compaction could not be taken back" };
  }
}

// commands are those of /precis, with the arguments of the program.
const commands = {
  left: ["plan", "show"],
  why: ["describe"],
  pin: ["pin"],
  unpin: ["unpin"],
  read: ["read"],
  find: ["find"],
};

async function command($, args) {
  const [name = "left", ...rest] = args.trim().split(/\s+/).filter((word) => word !== "");
  if (name === "undo") return "to take the last compaction back, say /compact undo";
  if (!Object.hasOwn(commands, name)) return `there are ${Object.keys(commands).join(", ")} and undo`;
  const done = await run($, [...commands[name], "--thread", await $.session.id(), "--", ...rest]);
  return done.stdout.trim() === "" ? done.stderr : done.stdout;
}

export function register(on) {
  on("session.start", async ($, e, next) => {
    const hint = "left | why #12 | pin #12 | unpin #12 | read #12 | find WORDS | undo";
    await $.command.register({ name: "precis", description: "What left the conversation and why, and how it comes back", argumentHint: hint }).catch(() => {});
    return next(e);
  }).catch(($, e, next) => next(e));

  on("command.run", { command: "precis" }, async ($, e) => ({ text: await command($, e.args) })).catch(($, e, next) => ({ text: String(next.error?.message ?? "precis failed") }));

  on("session.compact", async ($, e, next) => {
    const wish = (e.instructions ?? "").trim();
    const made = wish === "undo" ? await undone($, e) : wish === "" && e.agentId === undefined ? await compacted($) : undefined;
    ours = made !== undefined;
    return made ?? next(e); // any other wish is for a model; a sub-agent has a session of its own
  }).catch(($, e, next) => ((ours = false), next(e)));

  // The hook in hooks.json says again what the compaction holds already.
  on("classic.SessionStart", { source: ["compact"] }, async ($, e, next) => {
    const out = await next(e);
    if (!ours || !out?.additionalContext) return out;
    return { ...out, additionalContext: out.additionalContext.filter((text) => !text.startsWith(heading)) };
  }).catch(($, e, next) => next(e));
}
