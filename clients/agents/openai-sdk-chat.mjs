import OpenAI from "openai";
import { about, again, history, keep, maxSteps, prompt, schema, shell, system, url } from "./lab.mjs";

const client = new OpenAI({ baseURL: url + "/v1", apiKey: "dummy", maxRetries: 8 });
const before = history();
const messages = [...(before.length ? before : [{ role: "system", content: system }]), { role: "user", content: prompt }];
for (let n = 0; n < maxSteps; n++) {
  const tools = [{ type: "function", function: { name: "bash", description: about, parameters: schema } }];
  const reply = await again(() => client.chat.completions.stream({ model: "gpt-5.1", tools, messages, stream_options: { include_usage: true } }).finalMessage());
  messages.push(reply);
  if (!reply.tool_calls?.length) {
    console.log(reply.content);
    break;
  }
  for (const c of reply.tool_calls) {
    messages.push({ role: "tool", tool_call_id: c.id, content: shell(JSON.parse(c.function.arguments).command) });
  }
}
keep(messages);
