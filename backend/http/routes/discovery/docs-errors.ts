import { documentRoute } from "./document.ts";

export const discoveryErrors = documentRoute({
  name: "discovery.errors",
  path: "/docs/errors",
  summary: "Every error code, with an anchor each",
  media: "text/html",
  text: ({ documents }) => documents.errorsPage(),
});
