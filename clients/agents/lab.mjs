// What the agents have in common: the shell tool, and a history that outlives the program.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

export const url = process.env.LAB_URL;
export const prompt = process.argv[2];
export const about = "Runs a command in the shell and returns what it prints.";
export const schema = { type: "object", properties: { command: { type: "string" } }, required: ["command"], additionalProperties: false };
export const system = "You are an agent. You run commands with the shell tool.";
export const maxSteps = 200;

export function shell(command) {
  try {
    return execFileSync("bash", ["-c", command], { encoding: "utf8" });
  } catch (e) {
    return String(e.stdout ?? "") + String(e.stderr ?? e);
  }
}

export function history() {
  return existsSync(process.env.LAB_STATE) ? JSON.parse(readFileSync(process.env.LAB_STATE, "utf8")) : [];
}

export function keep(messages) {
  writeFileSync(process.env.LAB_STATE, JSON.stringify(messages));
}

// again asks once more where an answer broke off, as agents do.
export async function again(ask) {
  for (let n = 0; ; n++) {
    try {
      return await ask();
    } catch (e) {
      if (n === 8) throw e;
      await new Promise((done) => setTimeout(done, 250));
    }
  }
}
