import type { Documents } from "../routing/handler-services.ts";
import type { Route } from "../routing/route.ts";
import { createAsyncApiDocument } from "./asyncapi.ts";
import { createOpenApiDocument } from "./document.ts";
import { renderErrorsPage } from "./errors-page.ts";
import { renderDocsPage } from "./page.ts";

interface DocumentOptions {
  /** The routes that this service has. */
  readonly routes: readonly Route[];
  readonly slugs: readonly string[];
  /** Known once the service listens. */
  readonly publicUrl: () => string;
  readonly wsUrl: () => string;
}

/** The documents of a table of routes, each made when it is first requested. */
export function createDocuments({ routes, slugs, publicUrl, wsUrl }: DocumentOptions): Documents {
  const cache = new Map<string, string>();
  const getOrRender = (name: string, render: () => string): string => {
    const text = cache.get(name) ?? render();
    cache.set(name, text);
    return text;
  };
  const openapi = () => createOpenApiDocument(routes, publicUrl() || "/");
  return {
    openapi: () => getOrRender("openapi", () => JSON.stringify(openapi())),
    asyncapi: () => getOrRender("asyncapi", () => JSON.stringify(createAsyncApiDocument(slugs, wsUrl()))),
    docsPage: () => getOrRender("docs", () => renderDocsPage(openapi())),
    errorsPage: () => getOrRender("errors", () => renderErrorsPage(routes)),
  };
}
