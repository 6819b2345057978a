import type { ProblemBody } from "../../../domain/problem.ts";
import { escapeHtml, renderPage } from "../openapi/html.ts";

/** A problem as a page for people: what went wrong, what to do, and the id to find it in the log. */
export function renderProblemPage({ status, code, title, error, type, requestId }: ProblemBody): string {
  const body = `<h1>${status} ${escapeHtml(title)}</h1>
<p>${escapeHtml(error)}</p>
<p><a href="/">Watch the games</a> · <a href="/docs/reference">Reference</a> · <a href="${escapeHtml(type)}">${escapeHtml(code)}</a></p>
<p class="prose">Request <code>${escapeHtml(requestId)}</code></p>`;
  return renderPage(`${status} ${title}`, body);
}
