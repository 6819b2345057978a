/** The texts of the documents' pages. */
export const DOCS_LABELS = {
  title: "Documents",
  intro: "Guides for authors of agents and for operators, and the reference for every call.",
  guides: "Guides",
  reference: "Reference",
  everyCall: "Every call of the service",
  errors: "Error codes",
  openapi: "OpenAPI 3.1",
  asyncapi: "AsyncAPI of the channels",
  skill: "For language models",
  back: "All documents",
  missing: "There is no such guide.",
} as const;
