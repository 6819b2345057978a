/**
 * Faults that the lab injects to prove that it finds faults. Each removes one safeguard of the product. Changed
 * statements use the names that are in scope at their place.
 */

/** How a marked statement is changed. Without any field it is removed. */
export interface Change {
  /** The name of the marker. */
  readonly safeguard: string;
  /** A statement that runs before it. */
  readonly before?: string;
  /** Replaces the condition of an `if`. */
  readonly condition?: string;
  /** Replaces the whole statement. */
  readonly replacement?: string;
}

interface Fault extends Change {
  /** The safeguard that is then missing. */
  readonly missing: string;
}

/** A useful simulation must find every one of them. */
export const SIMULATED_FAULTS: { readonly [name: string]: Fault } = {
  "answer-before-commit": {
    missing: "callers get their results after the commit",
    safeguard: "answer-after-commit",
    before: "for (const [i, job] of ofKind.entries()) job.resolve(results[i]);",
  },
  "nonce-used-twice": { missing: "the nonce of a sign-in works once", safeguard: "use-nonce-once" },
  "play-token-used-twice": {
    missing: "one conditional update consumes a play token",
    safeguard: "use-play-token-once",
  },
  "document-not-stored": {
    missing: "the document of an identity is stored with the signature",
    safeguard: "store-document-with-signature",
    before: "storeWith = async () => undefined;",
  },
  "signature-not-recorded": {
    missing: "a signature is recorded before it is made",
    safeguard: "record-before-signing",
    before: "return;",
  },
  "end-before-store": {
    missing: "an end is answered after it is stored",
    safeguard: "store-end-before-answer",
    replacement: "return { ...session.row, phase: 'ended', score: session.score } as never;",
  },
  "end-not-retried": {
    missing: "an end that could not be stored is stored later",
    safeguard: "retry-storing-end",
  },
  "sessions-not-recovered": {
    missing: "a start takes over the sessions that are open",
    safeguard: "recover-open-sessions",
  },
  "orphans-kept": { missing: "events of dropped blocks are removed", safeguard: "remove-dropped-events" },
  "orphaned-totals-kept": {
    missing: "sums over the events of dropped blocks are removed",
    safeguard: "remove-dropped-totals",
  },
  "orphaned-banks-kept": {
    missing: "scorebanks after dropped blocks are removed",
    safeguard: "remove-dropped-scorebanks",
  },
  "totals-not-rebuilt": { missing: "sums over the events follow each stored block", safeguard: "rebuild-totals" },
  "banks-not-rebuilt": { missing: "scorebanks follow each stored block", safeguard: "rebuild-scorebanks" },
  "dropped-blocks-kept": { missing: "dropped blocks are removed", safeguard: "remove-dropped-blocks" },
  "reorg-not-seen": {
    missing: "a head with another hash is a reorganization",
    safeguard: "compare-head-hash",
    condition: "cursor.number !== latest.number",
  },
  "ancestor-not-checked": {
    missing: "the common block is part of the chain",
    safeguard: "check-common-block",
    condition: "true",
  },
  "parent-not-checked": { missing: "a block follows its stored parent", safeguard: "check-parent-hash" },
  "read-once": {
    missing: "blocks are read a second time",
    safeguard: "read-blocks-twice",
    replacement: "return false;",
  },
  "sent-before-stored": {
    missing: "a transaction is stored before it is sent",
    safeguard: "store-before-send",
    before: "await this.#options.sender.send(created.map(({ row }) => row));",
  },
  "not-sent-again": {
    missing: "a transaction that no node has is sent again",
    safeguard: "send-lost-transaction-again",
    before: "if (at === null) return;",
  },
  "nonce-not-replaced": {
    missing: "a call whose nonce was used elsewhere gets another one",
    safeguard: "replace-used-nonce",
    replacement: "const used = lookup;",
  },
  "lost-block-not-noted": {
    missing: "a transaction that lost its block waits again",
    safeguard: "note-lost-block",
  },
  "blocks-not-compared": {
    missing: "transactions are looked up again after a reorganization",
    safeguard: "compare-blocks",
    replacement: "const isChanged = last === null;",
  },
  "settled-too-early": {
    missing: "a transaction is watched until its block is final",
    safeguard: "settle-in-final-block",
    replacement: "await store.settle(account.address, head.number, clock.nowMs());",
  },
  "gap-not-filled": { missing: "unused nonces are filled", safeguard: "fill-nonce-gap" },
  "gap-fees-not-raised": {
    missing: "the transfer that fills a gap pays more when it is stuck",
    safeguard: "raise-fees-of-gap",
    condition: "isPending",
  },
  "lease-not-checked": {
    missing: "each write checks that the backend still holds the lease",
    safeguard: "check-lease-on-write",
  },
  "fees-not-raised": {
    missing: "a transaction that is stuck pays more",
    safeguard: "raise-fees",
    replacement: "const isStuck = false;",
  },
  "cancelled-call-counts": {
    missing: "an empty transfer in the place of a call is not the call",
    safeguard: "recognize-cancelled-call",
    replacement: "const isReplaced = false;",
  },
  "order-not-completed": { missing: "an order of the operator is carried out once", safeguard: "complete-order" },
  "payouts-not-settled": { missing: "payouts follow their transactions", safeguard: "settle-payouts" },
  "payout-forgotten": {
    missing: "an open payout continues before a new one is opened",
    safeguard: "resume-open-payout",
    replacement: "const existing = null;",
  },
  "outage-never-ends": {
    missing: "requests are tried again after failures",
    safeguard: "retry-after-outage",
    replacement: "this.#retryAtMs = Number.POSITIVE_INFINITY;",
  },
  "no-second-attempt": { missing: "the store waits for a lock", safeguard: "wait-for-lock", before: "throw error;" },
  "bodies-not-compared": { missing: "an idempotency key stands for one body", safeguard: "compare-bodies" },
  "answer-not-kept": {
    missing: "the answer of an idempotency key is stored",
    safeguard: "keep-answer",
    replacement: "await store.release(row);",
  },
  "entropy-without-player": {
    missing: "a player who comes back before the first tick is not taken for the first one",
    safeguard: "keep-first-entropy",
    replacement: "const resumed = this.#liveness.joined;",
  },
  "relay-repeated": {
    missing: "a sponsored call that is asked for again is not sent again",
    safeguard: "answer-repeated-relay",
  },
  "sponsor-without-limit": {
    missing: "the commit of a sponsored call checks the bounds of its day",
    safeguard: "limit-sponsored-calls",
    condition: "true",
  },
};

/** All faults by their names: those of the simulation, and those of drills. */
export const FAULTS: { readonly [name: string]: Change } = {
  ...SIMULATED_FAULTS,
  "key-used-unchecked": { safeguard: "check-keys-before-use", before: "signerSet.exchange(keys);" },
  "guests-not-evicted": { safeguard: "evict-guests", replacement: "if (this.#count >= inAll) return null;" },
  "own-guests-not-evicted": { safeguard: "evict-own-guests", condition: "true" },
  "players-evicted": { safeguard: "keep-players" },
  "stalled-not-closed": { safeguard: "close-stalled" },
  "guest-questions-unbounded": { safeguard: "bound-guest-questions" },
  "guests-take-all-slots": { safeguard: "share-of-guests" },
  "lease-taken-at-once": { safeguard: "wait-for-lease", condition: "row === null || row.owner !== owner" },
  "player-not-checked": { safeguard: "check-player", replacement: "const isOwner = true;" },
  "token-not-hashed": {
    safeguard: "hash-token",
    replacement: "export const hashToken = (token: string): string => token;",
  },
  "sessions-of-others-written": {
    safeguard: "write-own-sessions-only",
    replacement: "export const isOwnedBy = (_owner: string | null) => sql<boolean>`true`;",
  },
  "node-lease-always-held": { safeguard: "hold-node-lease", before: "return true;" },
  "node-lease-not-checked": { safeguard: "check-node-lease-on-write", before: "return;" },
  "node-lease-loss-missed": { safeguard: "notice-lost-node-lease", before: "return;" },
  "frames-of-unknown-host": {
    safeguard: "take-frames-of-known-host",
    condition: "host === null && data[0] === JSON_BEGIN",
  },
};
