import OpenAI from "openai";
import { about, again, history, keep, maxSteps, prompt, schema, shell, system, url } from "./lab.mjs";

const client = new OpenAI({ baseURL: url + "/v1", apiKey: "dummy", maxRetries: 8 });
const input = [...history(), { role: "user", content: prompt }];
for (let n = 0; n < maxSteps; n++) {
  const tools = [{ type: "function", name: "bash", description: about, parameters: schema, strict: true }];
  const asked = { model: "gpt-5.1", instructions: system, tools, input, store: false, include: ["reasoning.encrypted_content"] };
  const reply = await again(() => client.responses.stream(asked).finalResponse());
  input.push(...reply.output.map(({ parsed, parsed_arguments, ...item }) => item));
  const calls = reply.output.filter((o) => o.type === "function_call");
  if (!calls.length) {
    console.log(reply.output_text);
    break;
  }
  for (const c of calls) {
    input.push({ type: "function_call_output", call_id: c.call_id, output: shell(JSON.parse(c.arguments).command) });
  }
}
keep(input);
