import { expect } from "chai";
import fc from "fast-check";
import { openStore } from "../../../backend/adapters/store/index.ts";
import { boardOf, PERIODS, SORTS } from "../../../backend/domain/leaderboard.ts";
import type { Address, SessionRow, Store } from "../../../backend/ports.ts";
import { ALICE, BOB, freshId, play, T0 } from "./rows.ts";
import { describeStore } from "./suite.ts";

const CAROL: Address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const WALLETS = [ALICE, BOB, CAROL];
const GAMES = ["shellrunners", "flappybots"];
const DAY_MS = 86_400_000;
const stamp = () => ({ auditId: freshId(), who: "tester", atMs: T0 });

interface Play {
  readonly wallet: number;
  readonly game: number;
  readonly score: number;
  readonly endedAtMs: number;
  readonly tick: number;
  readonly fate: "verified" | "withheld" | "pending" | "practice" | "withheld later";
}

async function playOne(store: Store, played: Play): Promise<SessionRow> {
  const { score, endedAtMs, tick, fate } = played;
  const sessionId = freshId();
  const facts = { wallet: WALLETS[played.wallet]!, slug: GAMES[played.game]!, agentName: `at ${endedAtMs}` };
  const row = await play(
    store,
    { ...facts, sessionId, source: fate === "practice" ? "browser_ws" : "agent_api", startedAtMs: endedAtMs - 1 },
    { score, endedAtMs, tick },
  );
  if (fate !== "pending")
    await store.sessions.setVerification(sessionId, fate === "withheld" ? "withheld" : "verified");
  if (fate === "withheld later") await store.operator.withhold(sessionId, "a test", stamp());
  return row;
}

/** Counts the slow way: every row of every session, each time. */
function recount(rows: readonly (SessionRow & Pick<Play, "fate">)[], board: string) {
  const counted = rows.filter(
    (row) =>
      row.fate === "verified" &&
      PERIODS.some((period) => [row.slug, null].some((slug) => boardOf(slug, period, row.endedAtMs!) === board)),
  );
  const byWallet = WALLETS.map((wallet) => counted.filter((row) => row.wallet === wallet)).filter(
    (own) => own.length > 0,
  );
  const standings = byWallet.map((own) => {
    const [best] = [...own].sort(
      (a, b) => b.score - a.score || a.endedAtMs! - b.endedAtMs! || (a.sessionId < b.sessionId ? -1 : 1),
    );
    const latest = own.reduce((a, b) => (b.endedAtMs! >= a.endedAtMs! ? b : a));
    return {
      wallet: best!.wallet,
      score: best!.score,
      bestEndedAtMs: best!.endedAtMs!,
      bestSessionId: best!.sessionId,
      totalScore: own.reduce((sum, row) => sum + row.score, 0),
      sessions: own.length,
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

async function expectEqual(store: Store, rows: readonly (SessionRow & Pick<Play, "fate">)[]): Promise<void> {
  const boards = new Set(
    rows.flatMap((row) =>
      PERIODS.flatMap((period) => [row.slug, null].map((slug) => boardOf(slug, period, row.endedAtMs!))),
    ),
  );
  for (const board of boards) {
    const { standings, totals } = recount(rows, board);
    expect(await store.standings.totals(board), board).to.deep.equal(totals);
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
          [1, 2].map((page) => store.standings.page({ board, sort, hideZero, page, limit: 2 })),
        );
        const items = pages
          .flatMap((page) => page.items)
          .map(({ profileName: _, agentId: __, agentName: ___, ...facts }) => facts);
        expect(items, `${board} ${sort} ${hideZero}`).to.deep.equal(expected);
        for (const page of pages) expect(page.total).to.equal(expected.length);
      }
    }
  }
}

const plays = fc.array(
  fc.record<Play>({
    wallet: fc.nat(2),
    game: fc.nat(1),
    score: fc.constantFrom(0, 0, 5, 5, 9, 100),
    endedAtMs: fc.constantFrom(0, 1, 3 * 3_600_000, DAY_MS, 6 * DAY_MS, 20 * DAY_MS, 40 * DAY_MS).map((ms) => T0 + ms),
    tick: fc.nat(500),
    fate: fc.constantFrom("verified", "verified", "verified", "withheld", "pending", "practice", "withheld later"),
  }),
  { maxLength: 9 },
);

describe("standings", function () {
  this.timeout(60_000);

  it("equal a recount of all rows, whatever was played", async () => {
    await fc.assert(
      fc.asyncProperty(plays, async (all) => {
        const store = await openStore({ databaseUrl: "sqlite::memory:" });
        try {
          const rows = [];
          for (const one of all) rows.push({ ...(await playOne(store, one)), fate: one.fate });
          await expectEqual(store, rows);
        } finally {
          await store.close();
        }
      }),
      { numRuns: 25, seed: 20_26 },
    );
  });
});

describeStore("standings", (subject) => {
  const verified = { wallet: 0, game: 0, score: 7, endedAtMs: T0, tick: 100, fate: "verified" } as const;
  const board = boardOf("shellrunners", "all", T0);
  const read = (store: Store) => store.standings.page({ board, sort: "score", hideZero: false, page: 1, limit: 25 });

  it("count a session once, however often it is verified, from both connections", async () => {
    const [store, other] = subject().pair;
    const { sessionId } = await playOne(store, verified);
    expect(await other.sessions.setVerification(sessionId, "verified")).to.equal(false);
    expect((await read(other)).items[0]).to.deep.include({ sessions: 1, totalScore: 7 });
  });

  it("show the name of the profile beside the one played under", async () => {
    const { store } = subject();
    await playOne(store, verified);
    expect((await read(store)).items[0]).to.include({ agentName: `at ${T0}`, profileName: null });
    const fields = { agentName: "Alice II", bio: "", links: [], image: null, services: [] };
    await store.identities.changeProfile(ALICE, {}, fields, T0);
    expect((await read(store)).items[0]).to.include({ agentName: `at ${T0}`, profileName: "Alice II" });
  });

  it("are empty where nobody played", async () => {
    const { store } = subject();
    expect(await read(store)).to.deep.equal({ items: [], total: 0 });
    expect((await store.standings.totals(board)).sessions).to.equal(0);
  });
});
