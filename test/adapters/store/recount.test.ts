import { expect } from "chai";
import { recountTotals } from "../../../backend/adapters/store/chain-totals.ts";
import { makeConnection } from "../../../backend/adapters/store/connection.ts";
import { openStore } from "../../../backend/adapters/store/index.ts";
import { makeSqliteDialect, openSqliteFile } from "../../../backend/adapters/store/sqlite.ts";
import { recountStandings } from "../../../backend/adapters/store/standings-count.ts";
import { boardOf } from "../../../backend/domain/leaderboard.ts";
import type { Store } from "../../../backend/ports.ts";
import { BOB, chainEvent, mine, play, snapshotOf, T0 } from "./rows.ts";
import { makeFolder } from "./suite.ts";

const DAY_MS = 86_400_000;

async function readAll(store: Store) {
  const boards = [boardOf("shellrunners", "all", T0), boardOf(null, "all", T0), boardOf(null, "day", T0 + DAY_MS)];
  return {
    pages: await Promise.all(
      boards.map((board) => store.standings.page({ board, sort: "score", hideZero: false, page: 1, limit: 10 })),
    ),
    totals: await Promise.all(boards.map((board) => store.standings.totals(board))),
    chain: await store.chain.totals({ block: 99, sinceSeconds: T0 / 1000 + 12 }),
  };
}

describe("a database from before the sums", function () {
  this.timeout(20_000);

  it("gets the same sums as one that kept them all along", async () => {
    const folder = makeFolder();
    const store = await openStore({ databaseUrl: folder.databaseUrl });
    const connection = makeConnection(makeSqliteDialect(openSqliteFile(folder.databaseUrl)), { busyWaitMs: 5_000 });
    try {
      for (const [wallet, score, day] of [
        [undefined, 7, 0],
        [BOB, 9, 0],
        [BOB, 3, 1],
      ] as const) {
        const change = wallet === undefined ? {} : { wallet };
        const row = await play(store, change, { score, endedAtMs: T0 + day * DAY_MS });
        await store.sessions.setVerification(row.sessionId, "verified");
        await mine(store, snapshotOf(row, { block: 10 + score }));
      }
      await mine(
        store,
        chainEvent("Payout", { block: 11, amount: 5n }),
        chainEvent("Payout", { block: 12, amount: 6n }),
      );
      const kept = await readAll(store);
      expect(kept.totals.map(({ sessions }) => sessions)).to.deep.equal([3, 3, 1]);
      expect(kept.chain).to.deep.equal({ snapshots: 3, payouts: 2, paid: 11n, paidSince: 6n });

      await connection.write(async (db) => {
        await db.deleteFrom("standings").execute();
        await db.deleteFrom("boardTotals").execute();
        await db.deleteFrom("chainTotals").execute();
      });
      expect(await readAll(store)).to.not.deep.equal(kept);
      await connection.write(async (db) => {
        await recountStandings(db);
        await recountTotals(db, 0);
      });
      expect(await readAll(store)).to.deep.equal(kept);
    } finally {
      await connection.close();
      await store.close();
      folder.remove();
    }
  });
});
