/**
 * Faults for the simulator's own test: one line of a safeguard is changed while its module is loaded, in the simulator's
 * process only. A simulation that does not find one of them is worth nothing.
 */
import { changeOnLoad, type SourceChange } from "../planted/source-change.ts";

interface PlantedFault extends SourceChange {
  /** What is missing then. */
  readonly safeguard: string;
}

export const PLANTED: { readonly [name: string]: PlantedFault } = {
  "answer-before-commit": {
    safeguard: "callers get their results after the commit",
    file: "backend/adapters/store/group-commit.ts",
    line: "notifications.set(job, () => job.resolve(results[i]));",
    replacement: "{ job.resolve(results[i]); notifications.set(job, () => undefined); }",
  },
  "stale-rows": {
    safeguard: "rows that are kept in memory are forgotten after a write",
    file: "backend/adapters/store/kept-rows.ts",
    line: "if (version !== keptVersion) rows.clear();",
    replacement: "",
  },
  "nonce-used-twice": {
    safeguard: "the nonce of a sign-in works once",
    file: "backend/services/auth/auth.ts",
    line: "if (!(await store.consumeNonce(row.nonce, nowMs)))",
    replacement: "if ((await store.consumeNonce(row.nonce, nowMs)) === null)",
  },
  "play-token-used-twice": {
    safeguard: "one conditional update consumes a play token",
    file: "backend/adapters/store/auth/channel-tokens.ts",
    line: '.where("usedAtMs", "is", null)',
    replacement: "",
  },
  "document-not-stored": {
    safeguard: "the document of an identity is stored with the signature",
    file: "backend/services/signed-calls.ts",
    line: "await Promise.all([storeWith(), ...parts",
    replacement: "await Promise.all([...parts",
  },
  "signature-not-recorded": {
    safeguard: "a signature is recorded before it is made",
    file: "backend/services/signed-calls.ts",
    line: 'if ((await signings.record({ kind, key, payloadHash, atMs: clock.nowMs() })) === "recorded") return;',
    replacement: "return;",
  },
  "end-before-store": {
    safeguard: "an end is answered after it is stored",
    file: "backend/live/registry.ts",
    line: "return this.#options.waitUntilStored(session);",
    replacement: "return { ...session.row, phase: 'ended', score: session.score } as never;",
  },
  "end-not-retried": {
    safeguard: "an end that could not be stored is stored later",
    file: "backend/live/recorder.ts",
    line: "if (!this.#running) return;\n        this.#options.clock.after(RETRY_MS",
    replacement: "if (this.#running) return;\n        this.#options.clock.after(RETRY_MS",
  },
  "sessions-not-recovered": {
    safeguard: "a start takes over the sessions that are open",
    file: "backend/live/recovery.ts",
    line: "this.#add(await sessions.listOpen());",
    replacement: "",
  },
  "orphans-kept": {
    safeguard: "events of dropped blocks are removed",
    file: "backend/adapters/store/chain/events.ts",
    line: 'await db.deleteFrom("chainEvents").where("block", ">", number).execute();',
    replacement: "",
  },
  "orphaned-totals-kept": {
    safeguard: "sums over the events of dropped blocks are removed",
    file: "backend/adapters/store/chain/events.ts",
    line: 'await db.deleteFrom("chainTotals").where("block", ">", number).execute();',
    replacement: "",
  },
  "orphaned-banks-kept": {
    safeguard: "scorebanks after dropped blocks are removed",
    file: "backend/adapters/store/chain/events.ts",
    line: 'await db.deleteFrom("scorebanks").where("block", ">", number).execute();',
    replacement: "",
  },
  "totals-not-rebuilt": {
    safeguard: "sums over the events follow each stored block",
    file: "backend/adapters/store/chain/events.ts",
    line: "await rebuildTotals(db, first);",
    replacement: "",
  },
  "banks-not-rebuilt": {
    safeguard: "scorebanks follow each stored block",
    file: "backend/adapters/store/chain/events.ts",
    line: "await rebuildBanks(db, first);",
    replacement: "",
  },
  "dropped-blocks-kept": {
    safeguard: "dropped blocks are removed",
    file: "backend/adapters/store/chain/events.ts",
    line: 'await db.deleteFrom("blocks").where("number", ">", number).execute();',
    replacement: "",
  },
  "reorg-not-seen": {
    safeguard: "a head with another hash is a reorganization",
    file: "backend/adapters/chain/indexer/block-sync.ts",
    line: "if (cursor.number !== latest.number || cursor.hash !== latest.hash) {",
    replacement: "if (cursor.number !== latest.number) {",
  },
  "ancestor-not-checked": {
    safeguard: "the common block is part of the chain",
    file: "backend/adapters/chain/indexer/block-sync.ts",
    line: "if (await this.#isCanonical(stored)) return { ancestor: stored, isDropped };",
    replacement: "return { ancestor: stored, isDropped };",
  },
  "parent-not-checked": {
    safeguard: "a block follows its stored parent",
    file: "backend/adapters/chain/indexer/fetch.ts",
    line: "if (headers.some(({ parentHash }, index) => parentHash !== hashes[index])) return null;",
    replacement: "",
  },
  "read-once": {
    safeguard: "blocks are read a second time",
    file: "backend/adapters/chain/indexer/indexer.ts",
    line: "return await this.#sync.readAgain();",
    replacement: "return false;",
  },
  "sent-before-stored": {
    safeguard: "a transaction is stored before it is sent",
    file: "backend/adapters/chain/transaction-manager/submitter.ts",
    line: "await store.addMany(",
    replacement: "void store.addMany(",
  },
  "not-sent-again": {
    safeguard: "a transaction that no node has is sent again",
    file: "backend/adapters/chain/transaction-manager/reconciler.ts",
    line: "if (at === null) findings.toSend.push(waiting);",
    replacement: "if (at === null) findings.change(row.id, {});",
  },
  "nonce-not-replaced": {
    safeguard: "a call whose nonce was used elsewhere gets another one",
    file: "backend/adapters/chain/transaction-manager/reconciler.ts",
    line: "const used = await this.#resubmission.onNonceUsed(waiting, this.#replacements.headNumber);",
    replacement: "const used = lookup;",
  },
  "lost-block-not-noted": {
    safeguard: "a transaction that lost its block waits again",
    file: "backend/adapters/chain/transaction-manager/reconciler.ts",
    line: "findings.change(row.id, change);\n      waiting",
    replacement: "waiting",
  },
  "blocks-not-compared": {
    safeguard: "transactions are looked up again after a reorganization",
    file: "backend/adapters/chain/transaction-manager/history.ts",
    line: "const isChanged = last === null || hashAtNumber !== last.hash;",
    replacement: "const isChanged = last === null;",
  },
  "settled-too-early": {
    safeguard: "a transaction is watched until its block is final",
    file: "backend/adapters/chain/transaction-manager/reconciler.ts",
    line: "await store.settle(account.address, Math.min(finalBlock, head.number), clock.nowMs());",
    replacement: "await store.settle(account.address, head.number, clock.nowMs());",
  },
  "gap-not-filled": {
    safeguard: "unused nonces are filled",
    file: "backend/adapters/chain/transaction-manager/reconciler.ts",
    line: "await unlessSignerAway(first, this.#options.log, () => this.#gaps.fill(first.nonce, minedCount, head.number));",
    replacement: "{}",
  },
  "gap-fees-not-raised": {
    safeguard: "the transfer that fills a gap pays more when it is stuck",
    file: "backend/adapters/chain/transaction-manager/nonce-gap.ts",
    line: "if (isPending && !this.#isStuck(gap, headNumber)) return;",
    replacement: "if (isPending) return;",
  },
  "lease-not-checked": {
    safeguard: "each write checks that the backend still holds the lease",
    file: "backend/adapters/store/open-store.ts",
    line: "if (held !== null) connection.setGuard((db) => held.check(db));",
    replacement: "",
  },
  "fees-not-raised": {
    safeguard: "a transaction that is stuck pays more",
    file: "backend/adapters/chain/transaction-manager/reconciler.ts",
    line: "else if (row.id === firstId && isStuck) await this.#replacements.bumpFees(waiting);",
    replacement: "",
  },
  "cancelled-call-counts": {
    safeguard: "an empty transfer in the place of a call is not the call",
    file: "backend/adapters/chain/transaction-manager/block-change.ts",
    line: 'const status = ok && !isReplaced ? "included" : "failed";',
    replacement: 'const status = ok ? "included" : "failed";',
  },
  "order-not-completed": {
    safeguard: "an order of the operator is carried out once",
    file: "backend/services/operations/admin-commands.ts",
    line: "await store.completeTransactionOrder(orderId, outcome, clock.nowMs());",
    replacement: "",
  },
  "payouts-not-settled": {
    safeguard: "payouts follow their transactions",
    file: "backend/services/rewards/payout-settlement.ts",
    line: "for (const row of rows) {",
    replacement: "for (const row of []) {",
  },
  "payout-forgotten": {
    safeguard: "an open payout goes on before a new one is opened",
    file: "backend/services/rewards/payouts.ts",
    line: "const existing = await this.#findOpen(wallet);",
    replacement: "const existing = null;",
  },
  "outage-never-ends": {
    safeguard: "requests are tried again after failures",
    file: "backend/adapters/chain/breaker.ts",
    line: "this.#retryAtMs = this.#clock.monotonicMs() + RESET_TIMEOUT_MS;",
    replacement: "this.#retryAtMs = Number.POSITIVE_INFINITY;",
  },
  "no-second-attempt": {
    safeguard: "the store waits for a lock",
    file: "backend/adapters/store/connection.ts",
    line: "if (!canRetry(error) || performance.now() + delayMs > deadlineMs) throw toStorageError(error);",
    replacement: "throw error;",
  },
  "bodies-not-compared": {
    safeguard: "an idempotency key stands for one body",
    file: "backend/http/pipeline/idempotency.ts",
    line: "if (existing.bodyHash !== row.bodyHash)",
    replacement: "if (existing.bodyHash === null)",
  },
  "answer-not-kept": {
    safeguard: "the answer of an idempotency key is stored",
    file: "backend/http/pipeline/idempotency.ts",
    line: "await store.complete({ ...row, status, body: JSON.stringify(body) });",
    replacement: "await store.release(row);",
  },
  "entropy-without-player": {
    safeguard: "a player who comes back before the first tick is not taken for the first one",
    file: "backend/live/session.ts",
    line: "const resumed = this.#liveness.joined || this.entropy !== null;",
    replacement: "const resumed = this.#liveness.joined;",
  },
  "relay-repeated": {
    safeguard: "a sponsored call that is asked for again is not sent again",
    file: "backend/services/relays/relays.ts",
    line: 'if (existing !== null && existing.transaction.status !== "failed") return existing;',
    replacement: "",
  },
  "sponsor-without-limit": {
    safeguard: "the commit of a sponsored call checks the bounds of its day",
    file: "backend/adapters/store/chain/relays.ts",
    line: 'if (bound === null) await db.insertInto("relays")',
    replacement: 'if (bound !== undefined) await db.insertInto("relays")',
  },
};

/** Loads the file of a planted fault with its changed line. Call it before the product is imported. */
export function plant(name: string): void {
  const fault = PLANTED[name];
  if (fault === undefined) throw new Error(`there is no planted fault ${name}`);
  changeOnLoad([fault]);
}
