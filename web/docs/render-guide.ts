/** Guides as HTML, made when the site is bundled: a browser gets no parser. */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import { Marked } from "marked";
import { isGuideName } from "../../domain/guides.ts";

const ESCAPES: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character]!);

/** `Reading a frame` becomes `reading-a-frame`, as in links within a guide. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(/\s+/g, "-");

/** A link of a guide on the site; null for a file that the site does not show. */
function toSiteHref(href: string): string | null {
  if (/^(?:https?:\/\/|#|\/)/.test(href)) return href;
  const [, name = "", anchor = ""] = /^(?:\.\/|docs\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name === "errors") return `/docs/errors${anchor}`;
  return isGuideName(name) ? `/docs/guides/${name}${anchor}` : null;
}

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const level = Math.min(depth, 3);
      return `<h${level} id="${toAnchor(text)}">${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    // A box that scrolls must be reached by the keyboard.
    code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    table({ header, rows }) {
      const head = header.map(({ tokens }) => `<th scope="col">${this.parser.parseInline(tokens)}</th>`);
      const body = rows.map((row) => {
        const cells = row.map(({ tokens }) => `<td>${this.parser.parseInline(tokens)}</td>`);
        return `<tr>${cells.join("")}</tr>`;
      });
      const table = `<thead><tr>${head.join("")}</tr></thead><tbody>${body.join("")}</tbody>`;
      return `<div class="table-box" tabindex="0"><table class="table">${table}</table></div>\n`;
    },
    link({ href, tokens }) {
      const [to, text] = [toSiteHref(href), this.parser.parseInline(tokens)];
      return to === null ? text : `<a href="${escapeHtml(to)}">${text}</a>`;
    },
    image: ({ text }) => escapeHtml(text),
    html: ({ text }) => (text.startsWith("<!--") ? "" : escapeHtml(text)),
  },
});

export const renderGuide = (text: string): string => marked.parse(text, { async: false });

/** An esbuild plugin: importing a guide gives its HTML. */
export const renderGuides: Plugin = {
  name: "render-guides",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.md$/ }, async ({ path }) => ({
      contents: renderGuide(await readFile(path, "utf8")),
      loader: "text",
    })),
};
