import { createAnthropic } from "@ai-sdk/anthropic";
import { jsonSchema, stepCountIs, streamText, tool } from "ai";
import { about, again, history, keep, maxSteps, prompt, schema, shell, system, url } from "./lab.mjs";

const anthropic = createAnthropic({ baseURL: url + "/v1", apiKey: "dummy" });
const messages = [...history(), { role: "user", content: prompt }];
const bash = tool({ description: about, inputSchema: jsonSchema(schema), execute: async ({ command }) => shell(command) });
// Where an answer breaks off, the steps that were done stay.
for (let done = false; !done; ) {
  await again(async () => {
    let failed;
    const result = streamText({
      model: anthropic("claude-sonnet-4-5"), system, messages: [...messages], tools: { bash }, stopWhen: stepCountIs(maxSteps), maxRetries: 8,
      onStepEnd: (step) => messages.push(...step.response.messages),
      onError: ({ error }) => (failed = error),
    });
    const text = await result.text.catch((e) => (failed ??= e));
    if (failed) throw failed;
    console.log(text);
    done = true;
  });
}
keep(messages);
