import { expect } from "chai";
import fc from "fast-check";
import type { Address } from "viem";
import type { RunQuery, SessionRow } from "../../../../backend/ports/store/sessions.ts";
import type { Store } from "../../../../backend/ports/store/store.ts";
import { PERIODS, RUN_SORTS, SORTS, toBoardKey } from "../../../../domain/leaderboard.ts";
import { ALICE, BASE_TIME_MS, BOB, createStamp, storeEndedSession } from "../rows.ts";
import { describeStore, withStore } from "../suite.ts";

const CAROL: Address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const WALLETS = [ALICE, BOB, CAROL];
const GAMES = ["shellrunners", "flappybots"];
const DAY_MS = 86_400_000;

interface Play {
  readonly wallet: number;
  readonly game: number;
  readonly agentId: string;
  readonly score: number;
  readonly endedAtMs: number;
  readonly tick: number;
  readonly outcome: "verified" | "withheld" | "pending" | "practice" | "withheld later";
}
type PlayedRow = SessionRow & Pick<Play, "outcome">;

async function storePlay(store: Store, { game, score, endedAtMs, tick, outcome, ...played }: Play): Promise<PlayedRow> {
  const session = {
    wallet: WALLETS[played.wallet]!,
    slug: GAMES[game]!,
    agentId: played.agentId,
    agentName: `at ${endedAtMs}`,
    source: outcome === "practice" ? "browser_ws" : "agent_api",
    startedAtMs: endedAtMs - 1,
  } as const;
  const row = await storeEndedSession(store, session, { score, endedAtMs, tick });
  if (outcome !== "pending")
    await store.sessions.setVerification(row.sessionId, outcome === "withheld" ? "withheld" : "verified");
  if (outcome === "withheld later") await store.operator.withholdScore(row.sessionId, "a test", createStamp());
  return { ...row, outcome };
}

const isCounted = (row: PlayedRow, board: string): boolean =>
  row.outcome === "verified" &&
  PERIODS.some((period) => [row.slug, null].some((slug) => toBoardKey(slug, period, row.endedAtMs!) === board));

/** Recounts all rows of all sessions at each call. */
function computeStandings(rows: readonly PlayedRow[], board: string) {
  const counted = rows.filter((row) => isCounted(row, board));
  const byWallet = WALLETS.map((wallet) => counted.filter((row) => row.wallet === wallet)).filter(
    (walletRows) => walletRows.length > 0,
  );
  const standings = byWallet.map((walletRows) => {
    const [best] = [...walletRows].sort(
      (a, b) => b.score - a.score || a.endedAtMs! - b.endedAtMs! || (a.sessionId < b.sessionId ? -1 : 1),
    );
    const latest = walletRows.reduce((a, b) => (b.endedAtMs! >= a.endedAtMs! ? b : a));
    return {
      wallet: best!.wallet,
      score: best!.score,
      bestEndedAtMs: best!.endedAtMs!,
      bestSessionId: best!.sessionId,
      bestGameSessionHash: best!.gameSessionHash,
      totalScore: walletRows.reduce((sum, row) => sum + row.score, 0),
      sessions: walletRows.length,
      lastPlayedAtMs: latest.endedAtMs!,
    };
  });
  const totals = {
    players: standings.length,
    scorers: standings.filter(({ score }) => score > 0).length,
    sessions: counted.length,
    highScore: Math.max(0, ...counted.map(({ score }) => score)),
    totalScore: counted.reduce((sum, { score }) => sum + score, 0),
    playMs: counted.reduce((sum, { tick, tickHz }) => sum + Math.floor((tick * 1000) / tickHz), 0),
  };
  return { standings, totals };
}

const KEY = { score: "score", totalScore: "totalScore", sessions: "sessions", recent: "lastPlayedAtMs" } as const;

async function expectStandingsEqual(store: Store, rows: readonly PlayedRow[]): Promise<void> {
  const boards = new Set(
    rows.flatMap((row) =>
      PERIODS.flatMap((period) => [row.slug, null].map((slug) => toBoardKey(slug, period, row.endedAtMs!))),
    ),
  );
  for (const board of boards) {
    const { standings, totals } = computeStandings(rows, board);
    expect(await store.standings.getTotals(board), board).to.deep.equal(totals);
    for (const sort of SORTS) {
      for (const hideZero of [true, false]) {
        const expected = standings
          .filter(({ score }) => !hideZero || score > 0)
          .sort(
            (a, b) =>
              b[KEY[sort]] - a[KEY[sort]] ||
              b.score - a.score ||
              a.bestEndedAtMs - b.bestEndedAtMs ||
              (a.bestSessionId < b.bestSessionId ? -1 : 1),
          );
        const pages = await Promise.all(
          [1, 2].map((page) => store.standings.getPage({ board, sort, hideZero, page, limit: 2 })),
        );
        const items = pages.flatMap((page) => page.items).map(({ profileName, agentId, agentName, ...facts }) => facts);
        expect(items, `${board} ${sort} ${hideZero}`).to.deep.equal(expected);
        for (const page of pages) expect(page.total).to.equal(expected.length);
      }
    }
  }
}

/** The ids of a list of runs, from all rows. */
function computeRuns(rows: readonly PlayedRow[], query: Omit<RunQuery, "page" | "limit">): string[] {
  const { slug, sort, period, nowMs, agentId } = query;
  const board = toBoardKey(slug, period, nowMs);
  const runs = rows.filter((row) => isCounted(row, board) && (agentId === null || row.agentId === agentId));
  const byEnd = (a: SessionRow, b: SessionRow) => a.endedAtMs! - b.endedAtMs! || (a.sessionId < b.sessionId ? -1 : 1);
  runs.sort(sort === "recent" ? (a, b) => byEnd(b, a) : (a, b) => b.score - a.score || byEnd(a, b));
  return runs.map(({ sessionId }) => sessionId);
}

async function expectRunsEqual(store: Store, rows: readonly PlayedRow[]): Promise<void> {
  for (const sort of RUN_SORTS)
    for (const period of PERIODS)
      for (const agentId of ["1", null]) {
        const query = { slug: GAMES[0]!, sort, period, nowMs: BASE_TIME_MS, agentId };
        const expected = computeRuns(rows, query);
        const pages = await Promise.all([1, 2, 3].map((page) => store.sessions.listRuns({ ...query, page, limit: 3 })));
        const ids = pages.flatMap(({ items }) => items.map(({ sessionId }) => sessionId));
        expect(ids, JSON.stringify(query)).to.deep.equal(expected);
        for (const { total } of pages) expect(total).to.equal(expected.length);
      }
}

const plays = fc.array(
  fc.record<Play>({
    wallet: fc.nat(2),
    game: fc.nat(1),
    agentId: fc.constantFrom("1", "2"),
    score: fc.constantFrom(0, 0, 5, 5, 9, 100),
    // No run ends after the list is requested.
    endedAtMs: fc
      .constantFrom(0, 1, 3 * 3_600_000, DAY_MS, 6 * DAY_MS, 20 * DAY_MS, 40 * DAY_MS)
      .map((ms) => BASE_TIME_MS - ms),
    tick: fc.nat(500),
    outcome: fc.constantFrom("verified", "verified", "verified", "withheld", "pending", "practice", "withheld later"),
  }),
  { maxLength: 9 },
);

describe("standings and lists of runs", () => {
  it("equal a recount of all rows for any sessions, sort, period and agent", async () => {
    const property = fc.asyncProperty(plays, (all) =>
      withStore(async (store) => {
        const rows: PlayedRow[] = [];
        for (const one of all) rows.push(await storePlay(store, one));
        await expectStandingsEqual(store, rows);
        await expectRunsEqual(store, rows);
      }),
    );
    await fc.assert(property, { numRuns: 25, seed: 20_26 });
  });
});

describeStore("standings", (store, { other }) => {
  const verified: Play = {
    wallet: 0,
    game: 0,
    agentId: "1",
    score: 7,
    endedAtMs: BASE_TIME_MS,
    tick: 100,
    outcome: "verified",
  };
  const board = toBoardKey("shellrunners", "all", BASE_TIME_MS);
  const read = (store: Store) => store.standings.getPage({ board, sort: "score", hideZero: false, page: 1, limit: 25 });

  it("count a session once, however often it is verified, from both connections", async () => {
    const { sessionId } = await storePlay(store, verified);
    expect(await other.sessions.setVerification(sessionId, "verified")).to.equal(false);
    expect((await read(other)).items[0]).to.deep.include({ sessions: 1, totalScore: 7 });
  });

  it("show the name of the profile beside the name of the session", async () => {
    await storePlay(store, verified);
    expect((await read(store)).items[0]).to.include({ agentName: `at ${BASE_TIME_MS}`, profileName: null });
    const fields = { agentName: "Alice II", bio: "", links: [], image: null, services: [] };
    await store.identities.changeProfile(ALICE, {}, fields, BASE_TIME_MS);
    expect((await read(store)).items[0]).to.include({ agentName: `at ${BASE_TIME_MS}`, profileName: "Alice II" });
  });

  it("are empty without a session", async () => {
    expect(await read(store)).to.deep.equal({ items: [], total: 0 });
    expect((await store.standings.getTotals(board)).sessions).to.equal(0);
  });
});
