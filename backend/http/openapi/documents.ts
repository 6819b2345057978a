import { readFileSync } from "node:fs";
import { isGuideName, SERVED_GUIDES, type ServedGuide } from "../../../domain/guides.ts";
import type { Documents } from "../routing/handler-services.ts";
import type { Route } from "../routing/route.ts";
import { createAsyncApiDocument } from "./asyncapi.ts";
import { createOpenApiDocument } from "./document.ts";
import { renderErrorsPage } from "./errors-page.ts";
import { renderDocsPage } from "./page.ts";

interface DocumentOptions {
  readonly routes: readonly Route[];
  readonly slugs: readonly string[];
  /** Known once the service listens. */
  readonly publicUrl: () => string;
  readonly wsUrl: () => string;
}

const isServed = (name: string): boolean => SERVED_GUIDES.some((served) => served === name);

/** A file of `docs/`, with links to other guides as this service serves them, and without links to other files. */
const readGuide = (name: ServedGuide): string =>
  readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8").replaceAll(
    /\[([^\]]*)\]\((?![a-z]+:|#)([^)#]*)(#[^)]*)?\)/g,
    (_, text: string, path: string, anchor = "") => {
      const other = path.replace(/\.md$/, "");
      if (isServed(other) || other === "errors") return `[${text}](/docs/${other}${anchor})`;
      return isGuideName(other) ? `[${text}](/docs/guides/${other}${anchor})` : text;
    },
  );

/** The documents of a table of routes, each created on its first request. */
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
    guide: (name) => getOrRender(`guide ${name}`, () => readGuide(name)),
    errorsPage: () => getOrRender("errors", () => renderErrorsPage(routes)),
  };
}
