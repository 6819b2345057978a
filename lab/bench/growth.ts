/**
 * `npm run lab -- bench growth` (P13): a store with a million ended sessions beside one with a thousand, and the
 * verification of a ten-minute game.
 */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../backend/adapters/store/open-store.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { listBoardKeys, SORTS, toBoardKey } from "../../domain/leaderboard.ts";
import { verifyReplay } from "../../domain/replay/verify.ts";
import { findGame, gameList } from "../../games/index.ts";
import { createIdleOperation, createOperationSide, type Operation } from "./compare/operations.ts";
import type { Bar, Benchmark, Row } from "./compare/types.ts";
import { fillStore, SESSIONS_PER_WALLET, SLUG, toEndMs, toSessionId, toWallet } from "./growth/stored-sessions.ts";
import { recordTenMinutes } from "./growth/ten-minutes.ts";

const SIZES = {
  full: { rounds: 3, small: 1_000, large: 1_000_000 },
  quick: { rounds: 2, small: 1_000, large: 5_000 },
};
const GROWTH_MAX = 1.3;
/** 10 ms for ten minutes of play. */
const VERIFICATION_MAX_US_PER_MINUTE = 1_000;
const BYTES_MAX = 2_000;
const PAGE_MAX_US = 1_000;
const LIMIT = 25;

interface Filled {
  readonly store: Store;
  readonly sessions: number;
  readonly file: string;
}

type AnyOperation = Pick<Operation<unknown>, "operate" | "isRight">;

/** An operation whose result is checked in its own type; an idle one returns nothing. */
const check = <T>(
  operate: (n: number) => T | Promise<T>,
  isRight: (n: number, result: NoInfer<T>) => boolean | Promise<boolean>,
): AnyOperation => ({
  operate,
  isRight: async (n, result) => result !== undefined && (await isRight(n, result as T)),
});

const format = (count: number): string => count.toLocaleString("en-US");
const lastEndMs = ({ sessions }: Filled): number => toEndMs(sessions - 1, sessions);

/** The look-ups of routes: a session, a wallet's sessions, the newest runs, a board's first page and its sums. */
function createLookUps(filled: Filled): AnyOperation {
  const { store, sessions } = filled;
  const board = toBoardKey(SLUG, "all", lastEndMs(filled));
  const page = { page: 1, limit: LIMIT };
  return check(
    async (n) => {
      const wallet = toWallet(n % (sessions / SESSIONS_PER_WALLET));
      const runs = { slug: SLUG, sort: "recent", period: "all", nowMs: lastEndMs(filled), agentId: null } as const;
      return {
        session: await store.sessions.find(toSessionId((n * 7919) % sessions)),
        mine: await store.sessions.listMine({ wallet, slug: SLUG, status: null, source: null, ...page }),
        runs: await store.sessions.listRuns({ ...runs, ...page }),
        first: await store.standings.getPage({ board, sort: "score", hideZero: false, ...page }),
        totals: await store.standings.getTotals(board),
      };
    },
    (n, { session, mine, runs, first, totals }) =>
      session?.sessionId === toSessionId((n * 7919) % sessions) &&
      mine.total === SESSIONS_PER_WALLET &&
      runs.items.length === LIMIT &&
      first.items.length === LIMIT &&
      totals.sessions === sessions,
  );
}

/** The last page that the route serves, or that the board has, of each board in each order. */
async function createLastPages(filled: Filled): Promise<AnyOperation> {
  const { standings } = filled.store;
  const boards = listBoardKeys({ slug: SLUG, endedAtMs: lastEndMs(filled) });
  const queries = boards.flatMap((board) => SORTS.map((sort) => ({ board, sort, hideZero: true, limit: LIMIT })));
  const lastPages = await Promise.all(
    queries.map(async ({ board }) => {
      const { scorers } = await standings.getTotals(board);
      const last = Math.ceil(scorers / LIMIT);
      return last > PAGES_MAX ? { page: PAGES_MAX, rows: LIMIT } : { page: last, rows: scorers - (last - 1) * LIMIT };
    }),
  );
  return check(
    (n) => standings.getPage({ ...queries[n % queries.length]!, page: lastPages[n % queries.length]!.page }),
    (n, { items }) => items.length === lastPages[n % queries.length]!.rows,
  );
}

/** As the routes allow. */
const PAGES_MAX = 1_000;

const createRow = (what: string, operation: AnyOperation, bars: readonly Bar[], rounds: number): Row => ({
  id: "P13",
  what,
  figure: { name: "CPU", unit: "us", better: "lower" },
  rounds,
  sides: [createOperationSide({ name: "Agent Arcade", ...operation })],
  idle: createIdleOperation(operation.isRight),
  bars,
});

function createVerificationRow(rounds: number): Row {
  const replays = recordTenMinutes(findGame(SLUG)!);
  const work = check(
    () => replays.map((replay) => verifyReplay(replay, gameList.getRules)),
    (_, results) => results.every(({ ok, ticks }, index) => ok && ticks === replays[index]!.ticks),
  );
  // Whole runs, so that they last a little longer than ten minutes.
  const minutes = replays.reduce((sum, { ticks, tickHz }) => sum + ticks / tickHz / 60, 0);
  const what = `verification of ${minutes.toFixed(1)} minutes of play in ${replays.length} games`;
  return createRow(what, work, [{ max: Math.round(VERIFICATION_MAX_US_PER_MINUTE * minutes) }], rounds);
}

/** The look-ups of a large store, which may cost at most `GROWTH_MAX` times those of a small one. */
function createGrowthRow(large: Filled, small: Filled, rounds: number): Row {
  const createSide = (filled: Filled) =>
    createOperationSide({ name: `${format(filled.sessions)} sessions`, ...createLookUps(filled) });
  return {
    ...createRow("look-ups of five routes", createLookUps(large), [], rounds),
    sides: [createSide(large), createSide(small)],
    bars: [{ against: `${format(small.sessions)} sessions`, share: GROWTH_MAX }],
  };
}

/** The file of a store beside its sessions. */
function createSizeRow({ file, sessions, store }: Filled): Row {
  const createSide = (name: string, count: () => Promise<number>) => ({
    name,
    runRound: async () => {
      const stored = await count();
      const missing = stored === sessions ? null : `${stored} of ${sessions} sessions`;
      return { value: (await stat(file)).size / sessions, missing };
    },
  });
  const countStored = async () => (await store.standings.getTotals(toBoardKey(SLUG, "all", 0))).sessions;
  return {
    id: "P13",
    what: `${format(sessions)} ended sessions, none on chain yet`,
    figure: { name: "the database's file", unit: "bytes a session", better: "lower" },
    rounds: 1,
    sides: [createSide("Agent Arcade", countStored)],
    idle: createSide("idle", async () => 0),
    bars: [{ max: BYTES_MAX }],
  };
}

export const benchmark: Benchmark = {
  summary: "how cost grows with the store (P13)",
  async *rows({ isQuick }) {
    const size = isQuick ? SIZES.quick : SIZES.full;
    const folder = await mkdtemp(join(tmpdir(), "arcade-bench-growth-"));
    const stores: Store[] = [];
    const open = async (name: string, sessions: number): Promise<Filled> => {
      const file = join(folder, `${name}.db`);
      await fillStore(file, sessions);
      const store = await openStore({ databaseUrl: `sqlite:${file}` });
      stores.push(store);
      return { store, sessions, file };
    };
    try {
      yield createVerificationRow(size.rounds);
      const small = await open("small", size.small);
      const large = await open("large", size.large);
      yield createSizeRow(large);
      yield createGrowthRow(large, small, size.rounds);
      const lastPages = await createLastPages(large);
      yield createRow("the last page of each board in each order", lastPages, [{ max: PAGE_MAX_US }], size.rounds);
    } finally {
      for (const store of stores) await store.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
