/** Reviewed survivors, with the reason why no test can notice them. The keys are as a run prints them. */
export const EQUIVALENT: { readonly [key: string]: string } = {
  'backend/ws/upgrade-request.ts url: request.url ?? "/" => request.url': "a server's request always has a URL",
  "backend/http/pipeline/idempotency.ts sorted: 1 => (1 + 1)": "only the sign of a comparison counts",
  "backend/ws/authenticate.ts authenticate: result.ok && entropy !== undefined => (result.ok) || (entropy !== undefined)":
    "adds a field to a rejection that no one reads",
  "backend/live/recorder.ts abandonAll: 1 => (1 + 1)": "only whether the number has changed counts",
  "backend/adapters/store/chain/totals.ts rebuildTotals: await deleteFrom(db, { fromBlock }) => deleteFrom(db, { fromBlock })":
    "the statements of a transaction run in order",
  'backend/adapters/store/retention.ts over: db .selectFrom("boardTotals") .select("board") .where("board", ">=", from) .where("board", "<", to) .limit(1) => db .selectFrom("boardTotals") .select("board") .where("board", ">=", from) .where("board", "<", to)':
    "only the first row is used",
  "backend/adapters/chain/transport.ts depth: 0 => 1": "errors nest fewer levels",
  'backend/adapters/chain/transport.ts type: "http" => ""': "viem compares it only with other kinds of transports",
  "backend/adapters/store/stats/standings.ts readPage: rowCount <= 0 => (rowCount) < (0)":
    "a query with a limit of 0 returns no rows either",
  "backend/adapters/chain/open-chain.ts waitForBlock: await indexer.waitForHead(getWaitMs(budget)) => indexer.waitForHead(getWaitMs(budget))":
    "an async function returns the result of a promise either way",
  'backend/adapters/store/chain/bank-rows.ts points: "0" => ""': "each event with a game has a score",
  'backend/adapters/store/market/listings.ts hide: await db.updateTable("hiddenListings").set({ wasVisible: 0 }).where("listingId", "=", listingId).execute() => db.updateTable("hiddenListings").set({ wasVisible: 0 }).where("listingId", "=", listingId).execute()':
    "the statements of a transaction run in order",
  'backend/http/openapi/page.ts success: "2" => ""': "the first response of every operation is its success",
  "backend/live/recorder.ts #record: await this.#options.sessions.record(chunks) => this.#options.sessions.record(chunks)":
    "an async function returns the result of a promise either way",
  'backend/live/admission.ts makePlace: "player" => ""': "the places are dropped once one of them was given up",
  'backend/adapters/store/sessions/ownership.ts rows: selectSessions(db).where("sessionId", "in", ids).orderBy("sessionId") => selectSessions(db).where("sessionId", "in", ids)':
    "SQLite finds the rows by their ids in this order",
  "backend/adapters/chain/transaction-manager/locator.ts others: versions.filter(({ txHash }) => txHash !== row.txHash).reverse() => versions.filter(({ txHash }) => txHash !== row.txHash)":
    "at most one version of a transaction is in a block",
  "backend/adapters/chain/transaction-manager/reconciler.ts #readFinalBlock: -1 => undefined":
    "neither of them is at least 0",
  "backend/adapters/chain/transaction-manager/gas-limits.ts find: await this.#estimate(client, { ...call, gas: numberToHex(WALLET_CODE_GAS_MAX) }) => this.#estimate(client, { ...call, gas: numberToHex(WALLET_CODE_GAS_MAX) })":
    "an async function returns the result of a promise either way",
  "backend/adapters/chain/transaction-manager/locator.ts #lookUpWaiting: from < rows.length => (from) <= (rows.length)":
    "an empty batch makes no request",
  "backend/adapters/store/chain/transactions.ts getLastNonce: 1 => (1 + 1)": "only the first row is used",
  "backend/adapters/chain/transaction-manager/account.ts yParity: 1 => (1 + 1)": "viem writes 1 for each number but 0",
  "backend/adapters/chain/indexer/second-read.ts beforeFirst: this.#options.deployment.startBlock - 1 => (this.#options.deployment.startBlock) + (1)":
    "the first second read includes the 64 blocks before, and none before the deployment",
  'backend/adapters/chain/indexer/block-sync.ts advance: "read" => "" (2)': "only `more` and `behind` are compared",
  'backend/adapters/chain/indexer/block-sync.ts advance: "unchanged" => ""': "only `more` and `behind` are compared",
  "backend/adapters/chain/indexer/block-sync.ts module: 0 => 1": "only whether the number has changed counts",
  "backend/adapters/chain/indexer/block-sync.ts #fetchRange: latest.number - start.from < REORG_WINDOW_BLOCKS => (latest.number - start.from) <= (REORG_WINDOW_BLOCKS)":
    "both reads store a range of one block in the same way",
  "backend/adapters/chain/indexer/indexer.ts #run: 0 => 1 (2)": "the gap is 0 or 20 ms",
  "backend/adapters/chain/indexer/range-limit.ts module: 1 => (1 + 1)":
    "every number above the longest range means that none was rejected",
  "backend/adapters/store/chain/events.ts selectFirstBlock: 1 => (1 + 1)": "only the first row is used",
  "backend/live/takeover.ts stop: await this.#running => this.#running":
    "a claim during the stop is void: sessions of a node without a row count as abandoned",
  'backend/services/rewards/payout-settlement.ts #trySync: "sent" => ""':
    "the update changes no row, and the next attempt uses the status as stored",
  "backend/http/pipeline/idempotency.ts sorted: one < other => (one) <= (other)":
    "the names of an object's fields differ",
  'backend/services/rewards/payout-settlement.ts isExpected: code === "CHAIN_UNAVAILABLE" => (code) !== ("CHAIN_UNAVAILABLE")':
    "decides only which fields a line of the log has",
  'backend/services/rewards/payout-settlement.ts isExpected: "CHAIN_UNAVAILABLE" => ""':
    "decides only which fields a line of the log has",
  "backend/services/rewards/payouts.ts #relay: await this.#toView(paid) => this.#toView(paid)":
    "an async function returns the result of a promise either way",
  "backend/adapters/store/nodes/node-lease.ts isHeld: this.#sinceRenewalMs() < HELD_MS => (this.#sinceRenewalMs()) <= (HELD_MS)":
    "games may tick at the limit itself: the lease lasts a second longer",
  'backend/adapters/store/lease/rows.ts result: db .updateTable("leases") .set({ renewals: sql`renewals + 1`, expiresAtMs }) .where("name", "=", LEASE_NAME) .where("owner", "=", owner) .where("epoch", "=",… => db .updateTable("leases") .set({ renewals: sql`renewals + 1`, expiresAtMs }) .where("name", "=", LEASE_NAME) .where("owner", "=", owner)':
    "each owner takes one lease, with one epoch",
  'backend/adapters/store/lease/rows.ts result: db .updateTable("leases") .set({ renewals: sql`renewals + 1`, expiresAtMs }) .where("name", "=", LEASE_NAME) => db .updateTable("leases") .set({ renewals: sql`renewals + 1`, expiresAtMs })':
    "the table has one row",
  "backend/services/rewards/payout-settlement.ts module: 0 => 1": "no clock is before 1970",
  "backend/services/rewards/payout-settlement.ts sync: await store.find(row.payoutId) => store.find(row.payoutId)":
    "the faster call has just stored the state of the same transaction",
  'backend/adapters/store/sessions/ownership.ts releaseOpen: await db.updateTable("sessions").set({ owner: null }).where(IS_OPEN).where(isOwnedBy(owner)).execute() => db.updateTable("sessions").set({ owner: null }).where(IS_OPEN).where(isOwnedBy(owner)).execute()':
    "the statements of a transaction run in order",
  'backend/adapters/store/lease/rows.ts selectLease: db.selectFrom("leases").selectAll().where("name", "=", LEASE_NAME) => db.selectFrom("leases").selectAll()':
    "the table has one row",
  "backend/adapters/chain/transaction-manager/former-operators.ts #reconcileRow: await unlessSignerAway(row, log, () => resubmission.onRejected(waiting)) => unlessSignerAway(row, log, () => resubmission.onRejected(waiting))":
    "an async function returns the result of a promise either way",
  "backend/adapters/chain/transaction-manager/operator-wallet.ts params: false => true":
    "only the number and the hash of the block are used",
  'backend/adapters/chain/transaction-manager/locator.ts isFound: "unknown" => ""':
    "its block has this version, so the search finds no other one and keeps `unknown`",
  "backend/adapters/chain/transaction-manager/transaction-manager.ts refresh: throw new Error(`there is no transaction ${id} in the store`); => ":
    "no transaction is removed, and each caller fails on null with the same answer",
  "backend/adapters/chain/transaction-manager/locator.ts #listVersions: throw error; => ":
    "signing fails only with `SIGNER_UNAVAILABLE`; the caller would fail on undefined as well",
  "backend/adapters/chain/transaction-manager/resubmission.ts #isAllowed: throw error; => ":
    "`checkOperatorCall` throws no other error for a stored row, whose address and data are valid",
  "backend/adapters/chain/transaction-manager/nonce-gap.ts #reportRaisesSpent: gap.raises > FEE_BUMPS_MAX => (gap.raises) <= (FEE_BUMPS_MAX)":
    "decides only whether a line is logged",
  "backend/services/rewards/payouts.ts score: entry.byGame[slug] ?? 0n => entry.byGame[slug]":
    "with a game, the store returns its points in each payout, also 0",
  "backend/adapters/chain/transaction-manager/signed-today.ts count: this.#counted = { day, nonce: lastNonce, calls }; => ":
    "the calls of the day are counted again, with the same result",
  'backend/adapters/store/chain/transactions.ts selectSummary: newest.select("block").orderBy("block", "desc").limit(1) => newest.select("block").orderBy("block", "desc")':
    "SQLite takes the first row of a subquery",
  "backend/adapters/chain/transaction-manager/resubmission.ts #isAllowed: true => false":
    "the service always has a policy; null is for tests of calls that no policy allows",
  "backend/adapters/chain/transaction-manager/locator.ts listBlocks: numbers.size <= BLOCKS_MAX => (numbers.size) < (BLOCKS_MAX)":
    "what the blocks lack is looked up by hash, as all are if there are more blocks",
  'backend/adapters/chain/indexer/indexer.ts revision: this.#finishedHead?.hash ?? "" => this.#finishedHead?.hash':
    "only whether the text has changed counts",
  "backend/live/takeover.ts #poll: this.#isFailing => !(this.#isFailing)": "decides only whether a line is logged",
  "backend/adapters/chain/transaction-manager/submitter.ts #store: await setImmediate(); => ":
    "gives other requests a turn, and changes no result",
  "backend/adapters/store/chain/bank-rows.ts part: left < unpaid => (left) <= (unpaid)": "both are the same then",
  "backend/adapters/store/chain/bank-rows.ts score: 0n => 1n": "each event of a bank has the scorebank after it",
  "backend/adapters/store/sessions/rows.ts isOnChain: 1 => (1 + 1)": "only whether a row exists counts",
  'backend/adapters/store/sessions/lists.ts buildPending: selectSessions(db) .where("wallet", "=", wallet) .where(IS_PENDING) .where("sequence", ">", after) .orderBy("sequence") => selectSessions(db) .where("wallet", "=", wallet) .where(IS_PENDING) .where("sequence", ">", after)':
    "the rows come from an index with this order",
  'backend/adapters/store/open-store.ts isShared: "sqlite::memory:" => ""':
    "only this process can open a database in memory, so its lease is never taken",
};
