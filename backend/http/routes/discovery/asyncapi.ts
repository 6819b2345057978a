import { documentRoute } from "./document.ts";

export const discoveryAsyncapi = documentRoute({
  name: "discovery.asyncapi",
  path: "/asyncapi.json",
  summary: "The WebSocket channels as AsyncAPI 3.0",
  media: "application/json",
  text: ({ documents }) => documents.asyncapi(),
});
