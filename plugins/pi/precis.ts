// Written by precis install; precis uninstall removes it.
// pi's compaction by precis: https://github.com/seed-3db51b0e/precis
// Where precis fails, is slow, or has nothing to say, pi compacts by itself.

const program = "precis";
const timeout = 2000; // milliseconds

export default function (pi: any) {
  pi.on("session_before_compact", async (event: any, ctx: any) => {
    try {
      const file = ctx.sessionManager.getSessionFile();
      if (!file || event.customInstructions) return; // a wish is for a model
      const { firstKeptEntryId, tokensBefore } = event.preparation;
      const done = await pi.exec(program, ["handover", file, "--kept", String(firstKeptEntryId)], { timeout, signal: event.signal });
      if (done.code !== 0 || done.killed || !done.stdout.startsWith("[precis] ")) return;
      return { compaction: { summary: done.stdout, firstKeptEntryId, tokensBefore, details: { by: "precis" } } };
    } catch {
      return;
    }
  });

  const run = (args: string[]) => async (text: string, ctx: any) => {
    const more = text.trim() ? [text.trim()] : [];
    try {
      const done = await pi.exec(program, [...args, "--thread", ctx.sessionManager.getSessionId(), "--", ...more], { timeout });
      ctx.ui.notify(done.stdout.trim() ? done.stdout : done.stderr || "precis took too long", done.code === 0 ? "info" : "error");
    } catch (error) {
      ctx.ui.notify(`precis: ${error}`, "error");
    }
  };
  pi.registerCommand("precis-left", { description: "What left the conversation, record by record, and why", handler: run(["plan", "show"]) });
  pi.registerCommand("precis-why", { description: "Why a message left, and where it is: #12", handler: run(["describe"]) });
  pi.registerCommand("precis-read", { description: "Read what was said before a compaction: #12", handler: run(["read"]) });
  pi.registerCommand("precis-grep", { description: "Search everything that was said", handler: run(["grep"]) });
  pi.registerCommand("precis-pin", { description: "Keep a message word for word from the next compaction on: #12", handler: run(["pin"]) });
  pi.registerCommand("precis-unpin", { description: "Let a message go again: #12", handler: run(["unpin"]) });

  pi.registerCommand("precis-undo", {
    description: "Take the last compaction back; with messages since, they stay on a branch of their own: precis-undo anyway",
    handler: async (text: string, ctx: any) => {
      const branch = ctx.sessionManager.getBranch();
      const at = branch.findLastIndex((entry: any) => entry.type === "compaction");
      if (at < 0) return ctx.ui.notify("there is no compaction to take back", "error");
      const later = branch.slice(at + 1).filter((entry: any) => entry.type === "message").length;
      if (later > 0 && text.trim() !== "anyway") {
        return ctx.ui.notify(`${later} messages since would stay behind, on a branch that /tree shows: /precis-undo anyway`, "error");
      }
      const done = await ctx.navigateTree(branch[at].parentId);
      ctx.ui.notify(done.cancelled ? "the compaction stands" : "the compaction is taken back: what it took out is in the prompt again", "info");
    },
  });
}
