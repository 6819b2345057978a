/** `/docs/errors`: the page that a problem's `type` refers to. */
import { ERRORS, type ErrorCode } from "../../../domain/errors.ts";
import type { Route } from "../routing/route.ts";
import { getErrorCodes } from "./error-codes.ts";
import { escapeHtml, renderPage, renderProse } from "./html.ts";

/** A code shared by more routes is shown without a list of them. */
const LISTED_ROUTES_MAX = 12;

export function renderErrorsPage(routes: readonly Route[]): string {
  const rows = (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { status, retryable, title } = ERRORS[code];
    const matchingRoutes = routes.filter((route) => getErrorCodes(route).includes(code));
    const routeLinks =
      matchingRoutes.length === 0 || matchingRoutes.length > LISTED_ROUTES_MAX
        ? ""
        : matchingRoutes
            .map(({ name }) => `<a href="/docs/reference#${escapeHtml(name)}">${escapeHtml(name)}</a>`)
            .join(", ");
    return `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${retryable ? "yes" : ""}</td><td>${renderProse(title)}</td><td>${routeLinks}</td></tr>`;
  });
  return renderPage(
    "Agent Arcade: errors",
    `<h1>Errors</h1>
<p>${renderProse("A failure is `application/problem+json` (RFC 9457) as one flat object: `ok: false`, `code`, `error` (a sentence: what was expected, what was received, what to do), `retryable`, `requestId`, `status`, and the code's own fields.")}</p>
<p>${renderProse("Retry only what is retryable, with full-jitter backoff of 0.5 s x 2^n, five times; 429 and 503 carry `Retry-After`.")}</p>
<nav aria-label="Documents"><a href="/docs/reference">HTTP interface</a></nav>
<table><tr><th>code</th><th>status</th><th>retryable</th><th>meaning</th><th>where</th></tr>
${rows.join("\n")}
</table>`,
  );
}
