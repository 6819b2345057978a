import Database from "better-sqlite3";
import { expect } from "chai";
import type { Store } from "../../../backend/ports/store/store.ts";
import { runAllQueries } from "./all-queries.ts";
import { ALICE, storeEndedSession } from "./rows.ts";
import { useTempDatabase } from "./suite.ts";

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
  /^SCAN transaction_orders USING INDEX open_transaction_orders$/,
  /^SCAN voting_cycles( USING (COVERING )?INDEX one_unsettled_cycle)?$/,
  /^SCAN voting_candidates USING INDEX candidates_by_age$/,
  /^SCAN audit USING INDEX sqlite_autoindex_audit_1$/,
  /^SCAN transactions USING COVERING INDEX sqlite_autoindex_transactions_\d$/,
  /^SCAN blocks USING INDEX sqlite_autoindex_blocks_1$/,
  /^SCAN \d+-ROW VALUES CLAUSE$/,
  /^SCAN (paid|\(subquery-\d+\))$/,
  // One row, found by an index.
  /^SCAN newest$/,
  // The rows of one page.
  /^SCAN of_page$/,
  // A row for each backend.
  /^SCAN nodes$/,
  /^SCAN CONSTANT ROW$/,
  // A partial index that holds nothing but its answer.
  /SCAN sessions USING INDEX unverified_sessions/,
];

/** Sorts few rows: one wallet's payouts, one seller's visible listings (limited in number), a page, or the backends. */
const SORTS_FEW = /as "paid"|as "of_page"|from "nodes"|from "listings" .*"seller" = \+\?/;

const isSlow = (detail: string, query: string): boolean =>
  detail.startsWith("USE TEMP B-TREE")
    ? !SORTS_FEW.test(query)
    : detail.startsWith("SCAN") && !MAY_BE_SCANNED.some((allowed) => allowed.test(detail));

function listPlainIndexes(file: string): readonly string[] {
  const database = new Database(file, { readonly: true });
  const names = database.prepare("select name from sqlite_master where sql like 'create index %'").pluck().all();
  database.close();
  return names as string[];
}

describe("query plans", () => {
  const folder = useTempDatabase();

  /** SQLite's plan steps for the queries of `run` that start with one of the words. */
  async function explain(words: RegExp, run: (store: Store, begin: () => void) => Promise<unknown>) {
    let queries = new Set<string>();
    const store = await folder.open({ onQuery: ({ sql }) => void (words.test(sql) && queries.add(sql)) });
    await run(store, () => {
      queries = new Set();
    });
    const database = new Database(folder.file);
    const plans = [...queries].map((query) => {
      const nulls = Array.from({ length: (query.match(/\?/g) ?? []).length }, () => null);
      const steps = database.prepare(`explain query plan ${query}`).all(...nulls) as { detail: string }[];
      return { query, details: steps.map(({ detail }) => detail) };
    });
    database.close();
    return plans;
  }

  it("find every row by an index", async () => {
    const plans = await explain(/^(select|update|delete|insert)/, async (store, begin) => {
      await storeEndedSession(store);
      begin();
      await runAllQueries(store);
    });
    expect(plans.length).to.be.greaterThan(70);
    // SQLite would prepare sorting queries again for each call.
    const withBareParameter = plans.filter(({ query }) => /(?<!\+)\?/.test(query));
    expect(withBareParameter).to.deep.equal([]);
    const slow = plans.flatMap(({ query, details }) =>
      details.filter((detail) => isSlow(detail, query)).map((detail) => `${detail} <- ${query}`),
    );
    expect(slow).to.deep.equal([]);
    const used = plans.flatMap(({ details }) => details.flatMap((detail) => / INDEX (\w+)/.exec(detail)?.[1] ?? []));
    // A unique index is also a constraint.
    expect(listPlainIndexes(folder.file).filter((name) => !used.includes(name))).to.deep.equal([]);
    // Finding the rows of a page needs no sort. Only the page itself is sorted.
    const pages = plans.filter(({ query }) => query.includes('as "of_page"'));
    expect(pages.length).to.be.greaterThan(3);
    for (const { details } of pages) {
      expect(details.filter((detail) => detail.startsWith("USE TEMP B-TREE"))).to.have.lengthOf(1);
      expect(details.join("\n")).to.match(/^SEARCH standings USING (COVERING )?INDEX standings_by_/m);
    }
  });

  it("find the operator's calls since the last count by their nonces", async () => {
    const [plan] = await explain(/count\(\*\)/, ({ transactions }) => transactions.countBetween(ALICE, 1, 2));
    expect(plan!.details.join()).to.match(
      /^SEARCH transactions USING COVERING INDEX \w+ \(from=\? AND nonce>\? AND nonce<\?\)$/,
    );
  });

  it("read pending scores from an index without the thousands that a wallet has on chain", async () => {
    const plans = await explain(/^select .* limit/, async ({ sessions }) => {
      for (const slug of ["flappybots", null]) await sessions.listPending(ALICE, slug, 10);
    });
    expect(plans.map(({ details }) => details[0])).to.deep.equal([
      "SEARCH sessions USING INDEX pending_scores_of_game (wallet=? AND slug=? AND sequence>?)",
      "SEARCH sessions USING INDEX pending_scores (wallet=? AND sequence>?)",
    ]);
  });
});
