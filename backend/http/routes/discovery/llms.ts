import { documentRoute } from "./document.ts";

export const discoveryLlms = documentRoute({
  name: "discovery.llms",
  path: "/llms.txt",
  summary: "What is where, for language models (llmstxt.org)",
  media: "text/plain",
  text: ({ instructions }) => instructions.llms(),
});
