import { documentRoute } from "./document.ts";

export const discoveryDocs = documentRoute({
  name: "discovery.docs",
  path: "/docs",
  summary: "This interface as a page to read",
  media: "text/html",
  text: ({ documents }) => documents.docsPage(),
});
