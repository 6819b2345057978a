import { expect } from "chai";
import { rebuildBanks } from "../../../../backend/adapters/store/chain/bank-rows.ts";
import { rebuildTotals } from "../../../../backend/adapters/store/chain/totals.ts";
import { openConnection } from "../../../../backend/adapters/store/connection.ts";
import { listMigrationNames, type MigrationProgress } from "../../../../backend/adapters/store/migrations/index.ts";
import { openStore } from "../../../../backend/adapters/store/open-store.ts";
import { createSqliteDialect, openSqliteFile } from "../../../../backend/adapters/store/sqlite.ts";
import { rebuildStandings } from "../../../../backend/adapters/store/stats/standings-count.ts";
import type { Store } from "../../../../backend/ports/store/store.ts";
import { toBoardKey } from "../../../../domain/leaderboard.ts";
import { fillOldStore, SLUG, toSessionId } from "../../../../lab/bench/growth/stored-sessions.ts";
import { appendEvents, BASE_TIME_MS, BOB, createChainEvent, createSnapshotEvent, storeEndedSession } from "../rows.ts";
import { createTempDatabase } from "../suite.ts";

const DAY_MS = 86_400_000;

async function readAll(store: Store) {
  const boards = [
    toBoardKey("shellrunners", "all", BASE_TIME_MS),
    toBoardKey(null, "all", BASE_TIME_MS),
    toBoardKey(null, "day", BASE_TIME_MS + DAY_MS),
  ];
  return {
    pages: await Promise.all(
      boards.map((board) => store.standings.getPage({ board, sort: "score", hideZero: false, page: 1, limit: 10 })),
    ),
    totals: await Promise.all(boards.map((board) => store.standings.getTotals(board))),
    chain: await store.chain.getTotals({ block: 99, sinceSeconds: BASE_TIME_MS / 1000 + 12 }),
    bank: await store.chain.getScorebank(BOB),
  };
}

describe("a database that was created before the tables of sums", function () {
  this.timeout(20_000);

  it("gets the same sums as a database that always had them", async () => {
    const folder = createTempDatabase();
    const store = await openStore({ databaseUrl: folder.databaseUrl });
    const connection = openConnection(createSqliteDialect(openSqliteFile(folder.databaseUrl)), { busyWaitMs: 5_000 });
    try {
      for (const [wallet, score, day] of [
        [undefined, 7, 0],
        [BOB, 9, 0],
        [BOB, 3, 1],
      ] as const) {
        const change = wallet === undefined ? {} : { wallet };
        const row = await storeEndedSession(store, change, { score, endedAtMs: BASE_TIME_MS + day * DAY_MS });
        await store.sessions.setVerification(row.sessionId, "verified");
        await appendEvents(store, createSnapshotEvent(row, { block: 10 + score }));
      }
      await appendEvents(
        store,
        createChainEvent("Payout", { block: 11, amount: 5n }),
        createChainEvent("Payout", { block: 12, amount: 6n }),
      );
      const kept = await readAll(store);
      expect(kept.totals.map(({ sessions }) => sessions)).to.deep.equal([3, 3, 1]);
      expect(kept.chain).to.deep.equal({ snapshots: 3, payouts: 2, paid: 11n, paidSince: 6n });
      expect(kept.bank.snapshots).to.equal(2);

      await connection.write(async (db) => {
        await db.deleteFrom("standings").execute();
        await db.deleteFrom("boardTotals").execute();
        await db.deleteFrom("chainTotals").execute();
        await db.deleteFrom("scorebanks").execute();
      });
      expect(await readAll(store)).to.not.deep.equal(kept);
      await connection.write(async (db) => {
        await rebuildStandings(db);
        await rebuildTotals(db, 0);
        await rebuildBanks(db, 0);
      });
      expect(await readAll(store)).to.deep.equal(kept);
    } finally {
      await connection.close();
      await store.close();
      folder.remove();
    }
  });

  it("of an older version is migrated with all its sessions on the boards, and says how many it has counted", async () => {
    const folder = createTempDatabase();
    const reports: MigrationProgress[] = [];
    try {
      await fillOldStore(folder.file, 60);
      const databaseUrl = folder.databaseUrl;
      const store = await openStore({ databaseUrl, onMigration: (progress) => void reports.push(progress) });
      const totals = await store.standings.getTotals(toBoardKey(SLUG, "all", BASE_TIME_MS));
      expect(totals).to.include({ sessions: 60, players: 3 });
      expect(await store.sessions.find(toSessionId(7))).to.include({
        phase: "ended",
        entropy: null,
        verification: "verified",
      });
      await store.close();
      const names = listMigrationNames();
      expect(reports[0]).to.deep.equal({ migration: "0007-stats" });
      expect(reports).to.deep.include({ migration: "0007-stats", sessions: 60 });
      expect(reports.at(-1)).to.deep.equal({ migration: names.at(-1) });
    } finally {
      folder.remove();
    }
  });

  it("reports each migration, and how many sessions were counted", async () => {
    const folder = createTempDatabase();
    const reports: MigrationProgress[] = [];
    const onMigration = (progress: MigrationProgress) => void reports.push(progress);
    try {
      await (await openStore({ databaseUrl: folder.databaseUrl, onMigration })).close();
      const begun = reports.filter(({ sessions }) => sessions === undefined).map(({ migration }) => migration);
      expect(begun).to.deep.equal(listMigrationNames());
      expect(reports).to.deep.include({ migration: "0007-stats", sessions: 0 });
      await (await openStore({ databaseUrl: folder.databaseUrl, onMigration })).close();
      expect(reports.filter(({ sessions }) => sessions === undefined)).to.have.length(begun.length);
    } finally {
      folder.remove();
    }
  });
});
