// Written by precis install; precis uninstall removes it.
// What opencode's compaction should hold, by precis: https://github.com/seed-3db51b0e/precis
// The model of opencode still writes the summary. Where precis fails, takes longer than
// two seconds or has nothing to say, its prompt is as it would be.
import { spawn } from "node:child_process";

const program = "precis";
const timeout = 2000; // milliseconds

// run gives precis a conversation, and resolves to what it prints, "" if it fails.
const run = (input, signal) =>
  new Promise((resolve) => {
    let out = "";
    const child = spawn(program, ["handover", "-"], { stdio: ["pipe", "pipe", "ignore"], signal, killSignal: "SIGKILL" });
    child.on("error", () => resolve(""));
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (data) => (out += data));
    child.on("close", (code) => resolve(code === 0 ? out : ""));
    child.stdin.end(input);
  });

const said = async (client, sessionID, signal) => {
  const path = { id: sessionID };
  const [info, messages] = await Promise.all([client.session.get({ path, signal }), client.session.messages({ path, signal })]);
  return run(JSON.stringify({ info: info.data, messages: messages.data }), signal);
};

export const Precis = async ({ client }) => ({
  "experimental.session.compacting": async ({ sessionID }, output) => {
    const end = new AbortController();
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(() => resolve(""), timeout)));
    try {
      const text = await Promise.race([said(client, sessionID, end.signal), late]);
      if (text.startsWith("[precis] ")) {
        output.context.push(`This is what the conversation said of rules, files, commands, decisions and errors. Keep it in the summary, word for word where it is quoted:\n\n${text}`);
      }
    } catch {
      // opencode goes on without it
    } finally {
      clearTimeout(timer);
      end.abort();
    }
  },
});
