import { toFunctionSelector } from "viem";
import { formatAbiItem } from "viem/utils";
import { ERRORS } from "../../../domain/errors.ts";
import { CLOSE_REASONS } from "../../../domain/protocol/rules.ts";
import { errorsAbi } from "../../../domain/typed-data/errors-abi.ts";
import { renderTable } from "./table.ts";

const RECONNECT_TEXTS = { no: "stay away", new_token: "request a new token", after_pause: "wait a second" } as const;

const renderCloses = (): string =>
  renderTable(
    ["code", "reason", "meaning", "then"],
    Object.entries(CLOSE_REASONS).map(([reason, { code, title, reconnect }]) => [
      code,
      `\`${reason}\``,
      title,
      RECONNECT_TEXTS[reconnect],
    ]),
  );

/** One row per selector: contracts may use different argument names for the same error. */
function renderSelectors(): string {
  const bySelector = new Map<string, (typeof errorsAbi)[number]>();
  for (const error of errorsAbi) bySelector.set(toFunctionSelector(formatAbiItem(error)), error);
  return renderTable(
    ["selector", "error"],
    [...bySelector].map(([selector, error]) => [
      `\`${selector}\``,
      `\`${formatAbiItem(error, { includeName: true })}\``,
    ]),
  );
}

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
    "## The channels",
    "",
    'A message that a channel does not take is answered by `{"t": "error", code, error, fatal}`: what the channel takes now, and what was received. Every close has a reason. Before a close with 1009 or a code from 4001 on, an `error` with the same code and `fatal: true` explains it, unless the socket reads too slowly.',
    "",
    renderCloses(),
    "",
    "## The contracts",
    "",
    "The first four bytes of a revert's data. The local node shows these errors in its messages, the client in `revertName` and by `decodeRevert(data)`.",
    "",
    renderSelectors(),
    "",
    "*Made from `domain/errors.ts`, `domain/protocol/rules.ts` and `domain/typed-data/errors-abi.ts` by `npm run docs`.*",
    "",
  ].join("\n");
}
