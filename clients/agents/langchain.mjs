import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { mapChatMessagesToStoredMessages, mapStoredMessagesToChatMessages } from "@langchain/core/messages";
import { about, history, keep, maxSteps, prompt, schema, shell, system, url } from "./lab.mjs";

const model = new ChatOpenAI({ model: "gpt-5.1", apiKey: "dummy", maxRetries: 8, streaming: false, configuration: { baseURL: url + "/v1" }, useResponsesApi: false });
const bash = tool(({ command }) => shell(command), { name: "bash", description: about, schema });
const agent = createAgent({ model, tools: [bash], systemPrompt: system });
const before = mapStoredMessagesToChatMessages(history());
const state = await agent.invoke({ messages: [...before, { role: "user", content: prompt }] }, { recursionLimit: 2 * maxSteps });
console.log(state.messages.at(-1).text);
keep(mapChatMessagesToStoredMessages(state.messages));
