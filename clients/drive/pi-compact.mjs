// Has pi compact its last session, as /compact does on a terminal: node pi-compact.mjs CLI MODEL.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [cli, model] = process.argv.slice(2);
const pi = spawn(process.execPath, [cli, "--mode", "rpc", "--model", model, "--continue"], { stdio: ["pipe", "pipe", "inherit"] });
pi.stdin.write(JSON.stringify({ type: "compact" }) + "\n");
for await (const line of createInterface({ input: pi.stdout })) {
  const said = JSON.parse(line);
  if (said.type !== "response" || said.command !== "compact") continue;
  console.log(line);
  pi.kill();
  process.exit(said.success === false ? 1 : 0);
}
console.error("pi ended without an answer");
process.exit(1);
