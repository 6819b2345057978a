/** The site's pages as routes: one HTML for all of them, with the head of each. They are in no document of the interface. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { getExplorerUrl } from "../../../domain/chain-ids.ts";
import { LIMITS } from "../../../domain/limits/limits.ts";
import { SITE_PAGES, type SiteConfig, type SitePageName } from "../../../domain/site.ts";
import type { Deployment } from "../../ports/chain.ts";
import { createContentSecurityPolicy } from "../responses/headers.ts";
import { defineRoute, HttpResponse, type Route } from "../routing/route.ts";
import { createPageHead, HEAD_SERVICES } from "./page-heads.ts";
import { type PageHead, PREVIEW_PATH, renderSitePage } from "./page-html.ts";

export interface SiteOptions {
  /** Folder of the built site: `page.html`, `preloads.json`, and `public/` with all files that are served as they are. */
  readonly webDir: string;
  readonly deployment: Deployment;
  /** A JSON-RPC that browsers may use; null if there is none. */
  readonly browserRpcUrl: string | null;
  /** Known once the service listens. */
  readonly publicUrl: () => string;
}

export interface Site {
  readonly routes: readonly Route[];
  /** The page for an address that the site does not have. */
  createNotFound(): HttpResponse;
}

/** The scripts of each page, as the build found them. */
type Preloads = { readonly [page: string]: readonly string[] };

const NOT_FOUND: PageHead = {
  title: "Not found",
  description: "There is no page at this address.",
  imagePath: PREVIEW_PATH,
};

const toSiteConfig = ({ deployment, browserRpcUrl }: SiteOptions): SiteConfig => {
  const { chainId, startBlock, identity, rewards, token, market, nft } = deployment;
  return {
    chainId,
    startBlock,
    rpcUrl: browserRpcUrl,
    explorerUrl: getExplorerUrl(chainId),
    contracts: { identity, rewards, token, market, nft },
  };
};

const toParamsSchema = (path: string): z.ZodType<Record<string, string>> =>
  z.strictObject(Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, z.string()])));

/** The site of a built folder; null if it holds none. */
export function createSite(options: SiteOptions): Site | null {
  const templatePath = join(options.webDir, "page.html");
  if (!existsSync(templatePath)) return null;
  const template = readFileSync(templatePath, "utf8");
  const preloads = JSON.parse(readFileSync(join(options.webDir, "preloads.json"), "utf8")) as Preloads;
  const config = toSiteConfig(options);
  const createResponse = (status: number, head: PageHead, path: string, name?: SitePageName): HttpResponse => {
    const publicUrl = options.publicUrl();
    const scripts = name === undefined ? [] : (preloads[name] ?? []);
    const connectOrigins = [publicUrl.replace(/^http/, "ws")];
    if (config.rpcUrl !== null) connectOrigins.push(new URL(config.rpcUrl).origin);
    return new HttpResponse(status, renderSitePage(template, head, { config, publicUrl, path, scripts }), {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      "Content-Security-Policy": createContentSecurityPolicy(connectOrigins),
    });
  };
  const createNotFound = (): HttpResponse => createResponse(404, NOT_FOUND, "/");

  const routes = Object.entries(SITE_PAGES).map(([name, { path, title }]) =>
    defineRoute({
      name: `site.${name}`,
      method: "GET",
      path,
      summary: title,
      access: "public",
      limits: LIMITS.publicRead,
      params: toParamsSchema(path),
      response: z.string(),
      example: { response: "<!doctype html>" },
      errors: [],
      plain: true,
      media: "text/html",
      services: HEAD_SERVICES,
      async handle({ params }, services) {
        const head = await createPageHead(name as SitePageName, params, services);
        if (head === null) return createNotFound();
        const ownPath = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ""));
        return createResponse(200, head, ownPath, name as SitePageName);
      },
    }),
  );
  return { routes, createNotFound };
}
