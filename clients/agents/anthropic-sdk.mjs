import Anthropic from "@anthropic-ai/sdk";
import { about, again, history, keep, maxSteps, prompt, schema, shell, system, url } from "./lab.mjs";

const client = new Anthropic({ baseURL: url, apiKey: "dummy", maxRetries: 8 });
const messages = [...history(), { role: "user", content: prompt }];
const cache_control = { type: "ephemeral" }; // the provider caches up to the last message
for (let n = 0; n < maxSteps; n++) {
  const tools = [{ name: "bash", description: about, input_schema: schema }];
  const reply = await again(() => client.messages.stream({ model: "claude-sonnet-4-5", max_tokens: 2000, cache_control, system, tools, messages }).finalMessage());
  messages.push({ role: "assistant", content: reply.content });
  if (reply.stop_reason !== "tool_use") {
    console.log(reply.content.filter((b) => b.type === "text").map((b) => b.text).join(""));
    break;
  }
  const results = reply.content.filter((b) => b.type === "tool_use").map((b) => ({ type: "tool_result", tool_use_id: b.id, content: shell(b.input.command) }));
  messages.push({ role: "user", content: results });
}
keep(messages);
