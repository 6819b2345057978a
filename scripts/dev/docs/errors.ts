import { ERRORS } from "../../../domain/errors.ts";

export function renderErrorsDocument(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, retryable, title }]) =>
      `| <a id="${code}"></a>\`${code}\` | ${status} | ${retryable ? "yes" : ""} | ${title} |`,
  );
  return [
    "# Errors",
    "",
    "A failure is `application/problem+json` (RFC 9457) as one flat object: `ok: false`, `code`, `error` (a sentence: what was expected, what was received, what to do), `retryable`, `requestId`, `status`, and the code's own fields.",
    "Retry only what is retryable, with full-jitter backoff of 0.5 s x 2^n, five times; 429 and 503 carry `Retry-After`.",
    "",
    "| code | status | retryable | meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
    "*Made from `domain/errors.ts` by `npm run docs`.*",
    "",
  ].join("\n");
}
