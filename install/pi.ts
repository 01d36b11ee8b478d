// Written by precis install; precis uninstall removes it.
// pi's compaction by precis: https://github.com/seed-3db51b0e/precis
// Where precis fails, is slow, or has nothing to say, pi compacts by itself.

const program = "PRECIS";
const timeout = 2000; // milliseconds

export default function (pi: any) {
  pi.on("session_before_compact", async (event: any, ctx: any) => {
    try {
      const file = ctx.sessionManager.getSessionFile();
      if (!file) return;
      const done = await pi.exec(program, ["handover", file], { timeout, signal: event.signal });
      if (done.code !== 0 || done.killed || !done.stdout.trim()) return;
      const { firstKeptEntryId, tokensBefore } = event.preparation;
      return { compaction: { summary: done.stdout, firstKeptEntryId, tokensBefore, details: { by: "precis" } } };
    } catch {
      return;
    }
  });

  const run = (args: string[], heading: string) => async (text: string, ctx: any) => {
    const more = text.trim() ? [text.trim()] : [];
    const done = await pi.exec(program, [...args, ...more], { timeout });
    ctx.ui.notify(`${heading}\n${done.stdout || done.stderr}`, done.code === 0 ? "info" : "error");
  };
  pi.registerCommand("precis-read", { description: "Read what was said before a compaction: #12", handler: run(["read"], "precis read") });
  pi.registerCommand("precis-grep", { description: "Search everything that was said", handler: run(["grep"], "precis grep") });
  pi.registerCommand("precis-why", { description: "Say what left the prompt, and why", handler: run(["plan", "show"], "precis plan show") });
}
