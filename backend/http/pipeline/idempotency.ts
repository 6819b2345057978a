/**
 * `Idempotency-Key` (IETF draft-ietf-httpapi-idempotency-key-header): the same key and body give the stored response.
 */
import { createHash } from "node:crypto";
import { ArcadeError, quoteReceived } from "../../../domain/errors.ts";
import type { IdempotencyStore } from "../../ports/store/idempotency.ts";
import type { Clock } from "../../ports/system.ts";

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,64}$/;

export function parseIdempotencyKey(key: string | undefined): string | null {
  if (key === undefined) return null;
  if (IDEMPOTENCY_KEY.test(key)) return key;
  throw new ArcadeError(
    "VALIDATION_FAILED",
    `Idempotency-Key: expected 1 to 64 printable characters, received ${quoteReceived(key)}.`,
    {
      issues: [{ path: "header.idempotency-key", message: "expected 1 to 64 printable ASCII characters" }],
    },
  );
}

/**
 * JSON with sorted keys, the same for equal bodies. Unlike canonical JSON (RFC 8785) it supports every value that a
 * parsed body can hold: a lone surrogate is escaped, and a number beyond JavaScript's range is written as `Infinity`.
 */
function toComparableText(value: unknown): string {
  if (typeof value === "number") return Number.isFinite(value) ? JSON.stringify(value) : String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toComparableText).join(",")}]`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  const sorted = fields.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, field]) => `${JSON.stringify(name)}:${toComparableText(field)}`).join(",")}}`;
}

export interface IdempotencyClaim {
  readonly caller: string;
  readonly route: string;
  readonly key: string;
  readonly body: unknown;
}

interface StoredResponse {
  readonly status: number;
  readonly body: object;
}

/**
 * Runs `work` once per claim and stores its result; a repeat gets `{ stored }` instead. A failure releases the claim,
 * so that the caller may try again. The store deletes claims that are too old: if the wall clock jumped while `work`
 * ran, a repeat may hold the key by now, and keeps it.
 */
export async function runIdempotent(
  store: IdempotencyStore,
  clock: Clock,
  claim: IdempotencyClaim,
  work: () => Promise<StoredResponse>,
): Promise<"executed" | { readonly stored: StoredResponse }> {
  const row = {
    caller: claim.caller,
    route: claim.route,
    key: claim.key,
    bodyHash: createHash("sha256").update(toComparableText(claim.body)).digest("hex"),
    status: null,
    body: null,
    createdAtMs: clock.nowMs(),
  };
  const existing = await store.claim(row);
  if (existing !== null) {
    // safeguard: compare-bodies
    if (existing.bodyHash !== row.bodyHash)
      throw new ArcadeError("IDEMPOTENCY_CONFLICT", "This Idempotency-Key was used with another body; use a new key.");
    if (existing.status === null || existing.body === null)
      throw new ArcadeError(
        "IDEMPOTENCY_IN_PROGRESS",
        "The request with this Idempotency-Key is still running; try again in a second.",
      );
    return { stored: { status: existing.status, body: JSON.parse(existing.body) as object } };
  }
  try {
    const { status, body } = await work();
    // safeguard: keep-answer
    await store.complete({ ...row, status, body: JSON.stringify(body) });
    return "executed";
  } catch (error) {
    await store.release(row);
    throw error;
  }
}
