import { Agent, OpenAIResponsesModel, run, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { about, history, keep, maxSteps, prompt, schema, shell, system, url } from "./lab.mjs";

setTracingDisabled(true);
const client = new OpenAI({ baseURL: url + "/v1", apiKey: "dummy", maxRetries: 8 });
const bash = tool({ name: "bash", description: about, parameters: schema, strict: true, execute: ({ command }) => shell(command) });
const agent = new Agent({ name: "lab", instructions: system, model: new OpenAIResponsesModel(client, "gpt-5.1"), modelSettings: { store: false }, tools: [bash] });
const result = await run(agent, [...history(), { role: "user", content: prompt }], { maxTurns: maxSteps });
console.log(result.finalOutput);
keep(result.history);
