/**
 * The site's pages as routes: one HTML file for all of them, each with its own head. They are in no document of the
 * interface.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { getExplorerUrl } from "../../../domain/chain-ids.ts";
import { LIMITS } from "../../../domain/limits/limits.ts";
import { type PageRenderer, SITE_PAGES, type SiteConfig, type SitePageName, toSitePath } from "../../../domain/site.ts";
import type { Deployment } from "../../ports/chain.ts";
import type { Log } from "../../ports/system.ts";
import type { LocalFetch } from "../pipeline/local-reads.ts";
import { createContentSecurityPolicy } from "../responses/headers.ts";
import { defineRoute, HttpResponse, type Route } from "../routing/route.ts";
import { createPageHead, HEAD_SERVICES } from "./page-heads.ts";
import { type PageHead, PREVIEW_PATH, type RenderedPage, renderSitePage } from "./page-html.ts";
import { pictureRoutes } from "./picture-routes.ts";
import { EMPTY_PAGE, RenderedPages } from "./rendered-pages.ts";

export interface SiteOptions {
  /** Folder of the built site: `page.html`, `preloads.json`, and `public/` with all files that are served unchanged. */
  readonly webDir: string;
  readonly deployment: Deployment;
  /** A JSON-RPC that browsers may use; null if there is none. */
  readonly browserRpcUrl: string | null;
  readonly hasLeague: boolean;
  /** Known once the service listens. */
  readonly publicUrl: () => string;
  /** Reads for the pages. */
  readonly fetch: LocalFetch;
  readonly log: Log;
}

export interface Site {
  readonly routes: readonly Route[];
  /** The page for an unknown address. */
  createNotFound(url: string): Promise<HttpResponse>;
}

/** The scripts of each page, as determined by the build. */
type Preloads = { readonly [page: string]: readonly string[] };

/** Headers of pages that other sites may frame. All others must not be framed: a click there must not sign anything. */
const FRAME_HEADERS = { "X-Frame-Options": "" };
const ANY_FRAME = "frame-ancestors *";

/** Rendered pages position pictures and bars by style attributes. */
const STYLE_ATTRIBUTES = "style-src-attr 'unsafe-inline'";

/** The build writes the same styles into every page. */
function hashInline(element: "style" | "script", template: string): string {
  const text = new RegExp(`<${element}>(.*?)</${element}>`, "s").exec(template)?.[1] ?? "";
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const NOT_FOUND: PageHead = {
  title: "Not found",
  description: "There is no page at this address.",
  imagePath: PREVIEW_PATH,
};

const toSiteConfig = ({ deployment, browserRpcUrl, hasLeague }: SiteOptions): SiteConfig => {
  const { chainId, startBlock, identity, rewards, token, market, nft } = deployment;
  return {
    chainId,
    startBlock,
    rpcUrl: browserRpcUrl,
    explorerUrl: getExplorerUrl(chainId),
    contracts: { identity, rewards, token, market, nft },
    hasLeague,
  };
};

const toParamsSchema = (path: string): z.ZodType<Record<string, string>> =>
  z.strictObject(Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, z.string()])));

const pickTexts = (query: { readonly [name: string]: unknown }): { [name: string]: string } =>
  Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === "string"));

let renderers = 0;

/** The site's own code renders its pages. A page that it cannot render is sent empty, and the browser renders it. */
function openRenderer({ webDir, fetch, log }: SiteOptions, config: SiteConfig): (url: URL) => Promise<RenderedPage> {
  renderers += 1;
  // The module keeps its rendering context, so each service of a process needs its own copy.
  const moduleUrl = `${pathToFileURL(join(webDir, "server.js")).href}?${renderers}`;
  let loaded: Promise<{ readonly renderPage: PageRenderer }> | null = null;
  return async (url) => {
    try {
      loaded ??= import(moduleUrl) as Promise<{ readonly renderPage: PageRenderer }>;
      const { renderPage } = await loaded;
      return await renderPage({ url, config, fetch });
    } catch (error) {
      log.error({ err: error, path: url.pathname }, "a page could not be rendered");
      return EMPTY_PAGE;
    }
  };
}

/** The site of a built folder; null if it holds none. */
export function createSite(options: SiteOptions): Site | null {
  const templatePath = join(options.webDir, "page.html");
  if (!existsSync(templatePath)) return null;
  const template = readFileSync(templatePath, "utf8");
  const embedTemplate = readFileSync(join(options.webDir, "embed.html"), "utf8");
  const preloads = JSON.parse(readFileSync(join(options.webDir, "preloads.json"), "utf8")) as Preloads;
  const config = toSiteConfig(options);
  const inlined = [
    `style-src 'self' ${hashInline("style", template)}`,
    `script-src 'self' ${hashInline("script", template)}`,
  ];
  const pages = new RenderedPages(openRenderer(options, config));
  const createResponse = async (
    status: number,
    head: PageHead,
    { path, search = "", name }: { readonly path: string; readonly search?: string; readonly name?: SitePageName },
  ): Promise<HttpResponse> => {
    const publicUrl = options.publicUrl();
    const page = await pages.get(new URL(path + search, publicUrl));
    const scripts = name === undefined ? [] : (preloads[name] ?? []);
    const isEmbed = name === "embed";
    const connectOrigins = [publicUrl.replace(/^http/, "ws")];
    if (config.rpcUrl !== null && !isEmbed) connectOrigins.push(new URL(config.rpcUrl).origin);
    const facts = { config, publicUrl, path, scripts };
    return new HttpResponse(status, renderSitePage(isEmbed ? embedTemplate : template, head, facts, page), {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      "Content-Security-Policy": createContentSecurityPolicy(
        connectOrigins,
        isEmbed ? [...inlined, STYLE_ATTRIBUTES, ANY_FRAME] : [...inlined, STYLE_ATTRIBUTES],
      ),
      ...(isEmbed ? FRAME_HEADERS : {}),
    });
  };
  const createNotFound = (path: string) => createResponse(404, NOT_FOUND, { path });

  const routes = Object.entries(SITE_PAGES).map(([name, { path, title }]) =>
    defineRoute({
      name: `site.${name}`,
      method: "GET",
      path,
      summary: title,
      access: "public",
      limits: LIMITS.publicRead,
      params: toParamsSchema(path),
      // A page is also shown with query fields that it does not know.
      query: z.record(z.string(), z.unknown()),
      response: z.string(),
      example: { response: "<!doctype html>" },
      errors: [],
      plain: true,
      media: "text/html",
      services: HEAD_SERVICES,
      async handle({ params, query }, services) {
        const texts = pickTexts(query);
        const head = await createPageHead(name as SitePageName, params, services, texts);
        // Unknown paths get the "not found" page.
        if (head === null && name !== "embed") return createNotFound("/not-found");
        const search = Object.keys(texts).length === 0 ? "" : `?${new URLSearchParams(texts)}`;
        return createResponse(head === null ? 404 : 200, head ?? NOT_FOUND, {
          path: toSitePath(name as SitePageName, params),
          search,
          name: name as SitePageName,
        });
      },
    }),
  );
  return { routes: [...routes, ...pictureRoutes], createNotFound };
}
