// Has opencode compact its last session, as /compact does on a terminal:
// node opencode-compact.mjs PROGRAM PROVIDER MODEL.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [program, providerID, modelID] = process.argv.slice(2);
const server = spawn(program, ["serve", "--port", "0", "--hostname", "127.0.0.1"], { stdio: ["ignore", "pipe", "inherit"] });
let url;
for await (const line of createInterface({ input: server.stdout })) {
  url = line.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0];
  if (url) break;
}

async function call(path, body) {
  const method = body ? "POST" : "GET";
  const headers = { "content-type": "application/json", "x-opencode-directory": process.cwd() };
  const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

let code = 0;
try {
  const sessions = await call("/session");
  const last = sessions.filter((s) => !s.parentID).sort((a, b) => b.time.updated - a.time.updated)[0];
  console.log(await call(`/session/${last.id}/summarize`, { providerID, modelID }));
} catch (e) {
  console.error(e);
  code = 1;
}
server.kill();
process.exit(code);
