/** `Idempotency-Key` (IETF draft-ietf-httpapi-idempotency-key-header): the same key and body give the stored answer. */
import { createHash } from "node:crypto";
import { ArcadeError } from "../domain/errors.ts";
import { canonicalJson } from "../domain/replay.ts";
import type { Clock, IdempotencyStore } from "../ports.ts";

const KEPT_MS = 24 * 3600 * 1000;
/** A claim without an answer for so long belongs to a process that died. */
const ABANDONED_MS = 60 * 1000;

export function checkKey(key: string | undefined): string | null {
  if (key === undefined) return null;
  if (/^[\x21-\x7e]{1,64}$/.test(key)) return key;
  throw new ArcadeError("VALIDATION_FAILED", "Idempotency-Key: expected 1 to 64 printable characters.", {
    issues: [{ path: "header.idempotency-key", message: "expected 1 to 64 printable ASCII characters" }],
  });
}

export interface Claim {
  readonly caller: string;
  readonly route: string;
  readonly key: string;
  readonly body: unknown;
}

/**
 * Runs `work` once for a claim. `work` answers what is to be remembered; a repeat gets `{ remembered }` instead.
 * A failure forgets the claim, so that the caller may try again.
 */
export async function once<T extends { readonly status: number; readonly body: object }>(
  store: IdempotencyStore,
  clock: Clock,
  claim: Claim,
  work: () => Promise<T>,
): Promise<{ readonly fresh: T } | { readonly remembered: { readonly status: number; readonly body: object } }> {
  const row = {
    caller: claim.caller,
    route: claim.route,
    key: claim.key,
    bodyHash: createHash("sha256").update(canonicalJson(claim.body)).digest("hex"),
    status: null,
    body: null,
    createdAtMs: clock.nowMs(),
  };
  let earlier = await store.claim(row);
  if (earlier !== null) {
    const ageMs = row.createdAtMs - earlier.createdAtMs;
    if (ageMs > KEPT_MS || (earlier.status === null && ageMs > ABANDONED_MS)) {
      await store.release(earlier);
      earlier = await store.claim(row);
    }
  }
  if (earlier !== null) {
    if (earlier.bodyHash !== row.bodyHash) {
      throw new ArcadeError("IDEMPOTENCY_CONFLICT", "This Idempotency-Key was used with another body; use a new key.");
    }
    if (earlier.status === null || earlier.body === null) {
      throw new ArcadeError(
        "IDEMPOTENCY_IN_PROGRESS",
        "The request with this Idempotency-Key is still running; try again in a second.",
      );
    }
    return { remembered: { status: earlier.status, body: JSON.parse(earlier.body) as object } };
  }
  try {
    const fresh = await work();
    await store.complete({ ...row, status: fresh.status, body: JSON.stringify(fresh.body) });
    return { fresh };
  } catch (fault) {
    await store.release(row);
    throw fault;
  }
}
