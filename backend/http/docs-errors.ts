/** `/docs/errors`: the page that a problem's `type` points to. */
import { ERRORS, type ErrorCode } from "../domain/errors.ts";
import { escapeHtml, page, prose } from "./docs-html.ts";
import { codesOf } from "./openapi-codes.ts";
import type { Route } from "./route.ts";

/** Codes that so many routes share that listing them would say nothing. */
const SHARED = 12;

export function errorsPage(routes: readonly Route[]): string {
  const rows = (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { status, retryable, title } = ERRORS[code];
    const from = routes.filter((route) => codesOf(route).includes(code));
    const places =
      from.length === 0 || from.length > SHARED
        ? ""
        : from.map(({ name }) => `<a href="/docs#${escapeHtml(name)}">${escapeHtml(name)}</a>`).join(", ");
    return `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${retryable ? "yes" : ""}</td><td>${prose(title)}</td><td>${places}</td></tr>`;
  });
  return page(
    "Agent Arcade: errors",
    `<h1>Errors</h1>
<p>${prose("A failure is `application/problem+json` (RFC 9457) as one flat object: `ok: false`, `code`, `error` (a sentence: what was expected, what came, what to do), `retryable`, `requestId`, `status`, and the code's own fields.")}</p>
<p>${prose("Retry only what is retryable, with full-jitter backoff of 0.5 s x 2^n, five times; 429 and 503 carry `Retry-After`.")}</p>
<nav><a href="/docs">HTTP interface</a></nav>
<table><tr><th>code</th><th>status</th><th>retryable</th><th>meaning</th><th>where</th></tr>
${rows.join("\n")}
</table>`,
  );
}
