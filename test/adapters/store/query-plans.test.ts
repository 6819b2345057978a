import Database from "better-sqlite3";
import { expect } from "chai";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { runAllQueries } from "./all-queries.ts";
import { ALICE, storeEndedSession } from "./rows.ts";
import { createTempDatabase } from "./suite.ts";

/**
 * These may be read from end to end: an index that holds only open rows, an index whose first row is the
 * answer, the rows of an insert. `paid` is one wallet's payouts, found by index: one a day at the most, so they may be
 * sorted as well.
 */
const MAY_BE_SCANNED = [
  /^SCAN sessions USING INDEX open_sessions$/,
  /^SCAN listings USING (COVERING )?INDEX offered_by_\w+$/,
  /^SCAN payouts USING INDEX open_payouts(_of_wallet)?$/,
  /^SCAN payouts USING INDEX unsettled_payouts$/,
  /^SCAN transactions USING INDEX unsettled_transactions$/,
  /^SCAN orders USING INDEX open_orders$/,
  /^SCAN voting_cycles( USING (COVERING )?INDEX one_unsettled_cycle)?$/,
  /^SCAN voting_candidates USING INDEX candidates_by_age$/,
  /^SCAN audit USING INDEX sqlite_autoindex_audit_1$/,
  /^SCAN transactions USING COVERING INDEX sqlite_autoindex_transactions_\d$/,
  /^SCAN blocks USING INDEX sqlite_autoindex_blocks_1$/,
  /^SCAN \d+-ROW VALUES CLAUSE$/,
  /^SCAN (paid|\(subquery-\d+\))$/,
  // One row, found by an index.
  /^SCAN newest$/,
  // A row for each backend.
  /^SCAN nodes$/,
  // A partial index that holds nothing but its answer.
  /SCAN sessions USING INDEX unverified_sessions/,
];

/** Sorts few rows: one wallet's payouts, one seller's visible listings, which are limited in number, or the backends. */
const SORTS_FEW = /as "paid"|from "nodes"|from "listings" .*"seller" = \+\?/;

const isSlow = (detail: string, query: string): boolean =>
  detail.startsWith("USE TEMP B-TREE")
    ? !SORTS_FEW.test(query)
    : detail.startsWith("SCAN") && !MAY_BE_SCANNED.some((allowed) => allowed.test(detail));

describe("query plans", function () {
  this.timeout(20_000);
  const folder = createTempDatabase();
  after(() => folder.remove());

  it("find every row by an index", async () => {
    const queries = new Set<string>();
    let isCollecting = false;
    const store = await openStore({
      databaseUrl: folder.databaseUrl,
      onQuery: ({ sql }) => {
        if (isCollecting && /^(select|update|delete|insert)/.test(sql)) queries.add(sql);
      },
    });
    await storeEndedSession(store);
    isCollecting = true;
    await runAllQueries(store);
    await store.close();
    expect(queries.size).to.be.greaterThan(70);
    // SQLite would prepare those that sort anew for each call.
    const withBareParameter = [...queries].filter((query) => /(?<!\+)\?/.test(query));
    expect(withBareParameter).to.deep.equal([]);

    const database = new Database(folder.file);
    const found: string[] = [];
    for (const query of queries) {
      const plan = database.prepare(`explain query plan ${query}`);
      const nulls = Array.from({ length: (query.match(/\?/g) ?? []).length }, () => null);
      for (const { detail } of plan.all(...nulls) as { detail: string }[]) {
        if (isSlow(detail, query)) found.push(`${detail} <- ${query}`);
      }
    }
    database.close();
    expect(found).to.deep.equal([]);
  });

  it("the operator's calls since the last count are found by their nonces", async () => {
    const queries: string[] = [];
    const store = await openStore({ databaseUrl: folder.databaseUrl, onQuery: ({ sql }) => void queries.push(sql) });
    await store.transactions.countBetween(ALICE, 1, 2);
    await store.close();
    const database = new Database(folder.file);
    const plan = database.prepare(`explain query plan ${queries.find((query) => query.includes("count(*)"))}`);
    const details = (plan.all(null, null, null) as { detail: string }[]).map(({ detail }) => detail);
    database.close();
    expect(details.join()).to.match(
      /^SEARCH transactions USING COVERING INDEX \w+ \(from=\? AND nonce>\? AND nonce<\?\)$/,
    );
  });

  it("pending scores are read from an index without those on chain, of which a wallet has thousands", async () => {
    const queries: string[] = [];
    const store = await openStore({ databaseUrl: folder.databaseUrl, onQuery: ({ sql }) => void queries.push(sql) });
    for (const slug of ["flappybots", null]) await store.sessions.listPending(ALICE, slug, 10);
    await store.close();
    const database = new Database(folder.file);
    const plans = queries
      .filter((query) => /^select .* limit/.test(query))
      .map((query) =>
        database
          .prepare(`explain query plan ${query}`)
          .all(...Array(4 - Number(!query.includes('"slug" = +?'))).fill(null)),
      );
    const details = plans.map((plan) => (plan as { detail: string }[])[0]!.detail);
    database.close();
    expect(details).to.deep.equal([
      "SEARCH sessions USING INDEX pending_scores_of_game (wallet=? AND slug=? AND sequence>?)",
      "SEARCH sessions USING INDEX pending_scores (wallet=? AND sequence>?)",
    ]);
  });
});
