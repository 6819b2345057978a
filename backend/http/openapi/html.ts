/**
 * The frame of the documents' pages. It has no scripts and no external resources, so the pages work offline and under
 * the strictest policy.
 */
import { createHash } from "node:crypto";

const ESCAPES: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);

/** Prose of the tables: `code` spans become code, everything else is escaped. */
export const renderProse = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");

export const renderJson = (value: unknown): string => `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`;

const STYLE = `
:root{color-scheme:light dark;--ink:#16202b;--paper:#fbfaf7;--line:#dcd8cf;--soft:#f1eee7;--accent:#b4431f;--get:#1f6f54;--post:#8a4b12}
@media(prefers-color-scheme:dark){:root{--ink:#e6e3da;--paper:#12171d;--line:#2c353f;--soft:#1a2129;--accent:#ff8a5c;--get:#6fd3ac;--post:#f0b06a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.7rem;margin:.2em 0}h2{margin:2.2em 0 .4em;border-bottom:2px solid var(--line);padding-bottom:.2em}
h4{margin:1em 0 .3em}a{color:var(--accent)}nav{display:flex;flex-wrap:wrap;gap:.3em 1em}
details{border:1px solid var(--line);border-radius:6px;margin:.4em 0;background:var(--soft)}
summary{cursor:pointer;padding:.45em .7em;display:flex;flex-wrap:wrap;gap:.2em .8em;align-items:baseline}
summary:focus-visible,a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
details>div{padding:.2em .9em .9em;border-top:1px solid var(--line);background:var(--paper)}
.method{font:600 .8rem/1.4 ui-monospace,monospace;min-width:3.2em}.get{color:var(--get)}.post{color:var(--post)}
code,pre{font:.86em/1.5 ui-monospace,monospace}code{overflow-wrap:anywhere}td:first-child code{overflow-wrap:normal}pre{overflow:auto;background:var(--soft);padding:.7em;border-radius:6px;max-height:24rem}
table{border-collapse:collapse;width:100%;display:block;overflow-x:auto}td,th{border-bottom:1px solid var(--line);padding:.35em .6em;text-align:left;vertical-align:top}
tr:target{background:var(--soft);outline:2px solid var(--accent)}
.prose{opacity:.8}`;

const styleText = `${STYLE}\n`;

/** Allows only the style of these pages in a content security policy. */
export const STYLE_SOURCE = `'sha256-${createHash("sha256").update(styleText).digest("base64")}'`;

export const renderPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${styleText}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
