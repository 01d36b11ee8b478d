import { ChatAnthropic } from "@langchain/anthropic";
import { anthropicPromptCachingMiddleware, createAgent, tool } from "langchain";
import { mapChatMessagesToStoredMessages, mapStoredMessagesToChatMessages } from "@langchain/core/messages";
import { about, history, keep, maxSteps, prompt, schema, shell, system, url } from "./lab.mjs";

const model = new ChatAnthropic({ model: "claude-sonnet-4-5", apiKey: "dummy", maxRetries: 8, anthropicApiUrl: url });
const bash = tool(({ command }) => shell(command), { name: "bash", description: about, schema });
const agent = createAgent({ model, tools: [bash], systemPrompt: system, middleware: [anthropicPromptCachingMiddleware()] });
const before = mapStoredMessagesToChatMessages(history());
const state = await agent.invoke({ messages: [...before, { role: "user", content: prompt }] }, { recursionLimit: 2 * maxSteps });
console.log(state.messages.at(-1).text);
keep(mapChatMessagesToStoredMessages(state.messages));
