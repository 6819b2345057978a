import { documentRoute } from "./document.ts";

export const discoveryOpenapi = documentRoute({
  name: "discovery.openapi",
  path: "/openapi.json",
  summary: "This interface as OpenAPI 3.1",
  media: "application/json",
  text: ({ documents }) => documents.openapi(),
});
