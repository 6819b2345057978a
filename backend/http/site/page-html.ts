/** The HTML of the site's pages: the built page with the head of the requested one. */
import {
  type PageRenderer,
  SITE_CONFIG_META,
  SITE_NAME,
  type SiteConfig,
  toDocumentTitle,
} from "../../../domain/site.ts";
import { escapeHtml } from "../openapi/html.ts";

/** What tabs, search engines and link previews show of a page. */
export interface PageHead {
  readonly title: string;
  readonly description: string;
  /** Path of the preview picture. */
  readonly imagePath: string;
}

/** Where the build leaves room for the head and the page. */
const HEAD_PLACEHOLDER = "<!--head-->";
const PAGE_PLACEHOLDER = "<!--page-->";
/** A script with data, which no policy forbids; `<` would end it. */
const toDataScript = (values: object): string =>
  `<script type="application/json" id="page-values">${JSON.stringify(values).replaceAll("<", "\\u003c")}</script>`;

export type RenderedPage = Awaited<ReturnType<PageRenderer>>;

export const PREVIEW_PATH = "/preview.png";

const meta = (key: "name" | "property", name: string, content: string): string =>
  `<meta ${key}="${name}" content="${escapeHtml(content)}" />`;

interface PageFacts {
  readonly config: SiteConfig;
  readonly publicUrl: string;
  readonly path: string;
  /** Scripts that the page will need, so that the browser need not find them one after the other. */
  readonly scripts: readonly string[];
}

export function renderSitePage(
  template: string,
  { title, description, imagePath }: PageHead,
  { config, publicUrl, path, scripts }: PageFacts,
  { html, values }: RenderedPage,
): string {
  const lines = [
    `<title>${escapeHtml(toDocumentTitle(title))}</title>`,
    meta("name", "description", description),
    meta("property", "og:site_name", SITE_NAME),
    meta("property", "og:type", "website"),
    meta("property", "og:title", title),
    meta("property", "og:description", description),
    meta("property", "og:url", publicUrl + path),
    meta("property", "og:image", publicUrl + imagePath),
    meta("name", "twitter:card", "summary_large_image"),
    meta("name", SITE_CONFIG_META, JSON.stringify(config)),
    ...scripts.map((script) => `<link rel="modulepreload" fetchpriority="low" href="${escapeHtml(script)}" />`),
  ];
  // A function, since users' texts may contain the patterns of `replace`.
  return template
    .replace(HEAD_PLACEHOLDER, () => lines.join("\n    "))
    .replace(`${PAGE_PLACEHOLDER}</div>`, () => `${html}</div>\n    ${toDataScript(values)}`);
}
