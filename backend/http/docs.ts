import type { Documents } from "../services/documents.ts";
import { asyncApiDocument } from "./asyncapi.ts";
import { errorsPage } from "./docs-errors.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./openapi.ts";
import type { Route } from "./route.ts";

interface DocumentOptions {
  /** The whole table; on a public chain the routes of development are left out. */
  readonly routes: readonly Route[];
  readonly isLocal: boolean;
  readonly slugs: readonly string[];
  /** Known once the service listens. */
  readonly publicUrl: () => string;
  readonly wsUrl: () => string;
}

/** The documents of a table of routes, each made when it is first asked for. */
export function makeDocuments(options: DocumentOptions): Documents {
  const routes = options.routes.filter((route) => options.isLocal || !route.localOnly);
  const made = new Map<string, string>();
  const kept = (name: string, make: () => string): string => {
    const text = made.get(name) ?? make();
    made.set(name, text);
    return text;
  };
  const openapi = () => openApiDocument(routes, options.publicUrl() || "/");
  return {
    openapi: () => kept("openapi", () => JSON.stringify(openapi())),
    asyncapi: () => kept("asyncapi", () => JSON.stringify(asyncApiDocument(options.slugs, options.wsUrl()))),
    docsPage: () => kept("docs", () => docsPage(openapi())),
    errorsPage: () => kept("errors", () => errorsPage(routes)),
  };
}
