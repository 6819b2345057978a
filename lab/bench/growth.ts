/**
 * `npm run lab -- bench growth` (P13): what the statements behind the routes and the indexer cost with many sessions in the
 * store, beside the same with 1,000; a wallet with 10,000 snapshots; and the verification of a ten-minute game.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../backend/adapters/store/open-store.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { toBoardKey } from "../../domain/leaderboard.ts";
import { verifyReplay } from "../../domain/replay/verify.ts";
import { findGame, gameList } from "../../games/index.ts";
import { createChainEvent } from "../../test/adapters/store/rows.ts";
import { createIdleOperation, createOperationSide, type Operation } from "./compare/operations.ts";
import type { Bar, Benchmark, Row } from "./compare/types.ts";
import {
  BASE_TIME_MS,
  countBlocks,
  fillStore,
  SESSIONS_PER_WALLET,
  SLUG,
  toBlockHash,
  toSessionId,
  toWallet,
} from "./growth/stored-sessions.ts";
import { recordTenMinutes } from "./growth/ten-minutes.ts";

const SIZES = {
  full: { rounds: 3, small: 1_000, large: 100_000, snapshotsOfOneWallet: 10_000 },
  quick: { rounds: 2, small: 1_000, large: 5_000, snapshotsOfOneWallet: 1_000 },
};
const GROWTH_MAX = 1.3;
/** 10 ms for ten minutes of play. */
const VERIFICATION_MAX_US_PER_MINUTE = 1_000;
const PAGE = { page: 1, limit: 25 };

interface Filled {
  readonly store: Store;
  readonly sessions: number;
}

interface Work {
  readonly what: string;
  create(filled: Filled): AnyOperation;
}

type AnyOperation = Pick<Operation<unknown>, "operate" | "isRight">;
type NamedOperation = AnyOperation & { readonly name: string };

/** An operation whose result is checked in its own type; an idle one returns nothing. */
const check = <T>(
  operate: (n: number) => T | Promise<T>,
  isRight: (n: number, result: NoInfer<T>) => boolean | Promise<boolean>,
): AnyOperation => ({
  operate,
  isRight: async (n, result) => result !== undefined && (await isRight(n, result as T)),
});

const board = toBoardKey(SLUG, "all", BASE_TIME_MS);
const walletOf = (n: number, sessions: number) => toWallet(n % (sessions / SESSIONS_PER_WALLET));

const define = (what: string, create: Work["create"]): Work => ({ what, create });

const works: readonly Work[] = [
  define("the leaderboard's first page, by score", ({ store }) =>
    check(
      () => store.standings.getPage({ board, sort: "score", hideZero: false, ...PAGE }),
      (_, page) => page.items.length > 0,
    ),
  ),
  define("a game's sums", ({ store, sessions }) =>
    check(
      () => store.standings.getTotals(board),
      (_, totals) => totals.sessions === sessions,
    ),
  ),
  define("a session by its id", ({ store, sessions }) =>
    check(
      (n) => store.sessions.find(toSessionId((n * 7919) % sessions)),
      (n, session) => session?.sessionId === toSessionId((n * 7919) % sessions),
    ),
  ),
  define("a wallet's sessions", ({ store, sessions }) =>
    check(
      (n) =>
        store.sessions.listMine({ wallet: walletOf(n, sessions), slug: SLUG, status: null, source: null, ...PAGE }),
      (_, page) => page.total === SESSIONS_PER_WALLET,
    ),
  ),
  define("a wallet's scorebank", ({ store, sessions }) =>
    check(
      (n) => store.chain.getScorebank(walletOf(n, sessions)),
      (_, bank) => bank.snapshots === SESSIONS_PER_WALLET,
    ),
  ),
  define("the newest runs", ({ store }) =>
    check(
      () =>
        store.sessions.listRuns({
          slug: SLUG,
          sort: "recent",
          period: "all",
          nowMs: BASE_TIME_MS,
          agentId: null,
          ...PAGE,
        }),
      (_, page) => page.items.length === PAGE.limit,
    ),
  ),
  define("a block with a snapshot, by the indexer", ({ store, sessions }) => {
    const first = countBlocks(sessions) + 1;
    return check(
      async (n) => {
        const number = first + n;
        const block = { number, hash: toBlockHash(number) };
        const event = { block: number, blockHash: block.hash, wallet: walletOf(n, sessions), slug: SLUG };
        const score = { score: 5n, scorebank: 5n, sequence: BigInt(SESSIONS_PER_WALLET + 1 + n) };
        const gameSessionHash = toBlockHash(-number);
        await store.chain.append([block], [createChainEvent("ScoreSnapshot", { ...event, ...score, gameSessionHash })]);
        return number;
      },
      async (n, number) => (await store.chain.findBlock(number))?.hash === toBlockHash(first + n),
    );
  }),
];

type ReadOfWallet = (chain: Store["chain"], sessions: Store["sessions"], snapshots: number) => AnyOperation;

const readsOfOneWallet: { readonly [what: string]: ReadOfWallet } = {
  scorebank: (chain, _, snapshots) =>
    check(
      () => chain.getScorebank(toWallet(0)),
      (_n, bank) => bank.snapshots === snapshots,
    ),
  "pending sessions": (_, sessions) =>
    check(
      () => sessions.listPending(toWallet(0), null, 100),
      (_n, rows) => rows.length === 0,
    ),
};

const format = (count: number): string => count.toLocaleString("en-US");

/** The operation on a large and a small store, the first at most `GROWTH_MAX` times as dear. */
function createGrowthRow(what: string, large: NamedOperation, small: NamedOperation, rounds: number): Row {
  return {
    id: "P13",
    what,
    figure: { name: "CPU", unit: "us", better: "lower" },
    rounds,
    sides: [createOperationSide(large), createOperationSide(small)],
    idle: createIdleOperation(large.isRight),
    bars: [{ against: small.name, share: GROWTH_MAX }],
  };
}

/** A row without a peer. */
function createSingleRow(what: string, operation: AnyOperation, bars: Bar[], rounds: number): Row {
  return {
    id: "P13",
    what,
    figure: { name: "CPU", unit: "us", better: "lower" },
    rounds,
    sides: [createOperationSide({ name: "Agent Arcade", ...operation })],
    idle: createIdleOperation(operation.isRight),
    bars,
  };
}

function createVerificationRow(rounds: number): Row {
  const replays = recordTenMinutes(findGame(SLUG)!);
  const work = check(
    () => replays.map((replay) => verifyReplay(replay, gameList.getRules)),
    (_, results) => results.every(({ ok, ticks }, index) => ok && ticks === replays[index]!.ticks),
  );
  // Whole runs, so that they last a little longer than ten minutes.
  const minutes = replays.reduce((sum, { ticks, tickHz }) => sum + ticks / tickHz / 60, 0);
  const what = `verification of ${minutes.toFixed(1)} minutes of play in ${replays.length} games`;
  return createSingleRow(what, work, [{ max: Math.round(VERIFICATION_MAX_US_PER_MINUTE * minutes) }], rounds);
}

export const benchmark: Benchmark = {
  summary: "how cost grows with the store (P13)",
  async *rows({ isQuick }) {
    const size = isQuick ? SIZES.quick : SIZES.full;
    const folder = await mkdtemp(join(tmpdir(), "arcade-bench-growth-"));
    const stores: Store[] = [];
    const open = async (name: string, sessions: number, sessionsPerWallet?: number): Promise<Filled> => {
      const file = join(folder, `${name}.db`);
      await fillStore(file, sessions, true, sessionsPerWallet);
      const store = await openStore({ databaseUrl: `sqlite:${file}` });
      stores.push(store);
      return { store, sessions };
    };
    try {
      yield createVerificationRow(size.rounds);
      const small = await open("small", size.small);
      const large = await open("large", size.large);
      // The works add snapshots to the wallets of the small store.
      const count = size.snapshotsOfOneWallet;
      const one = await open("one-wallet", count, count);
      const toSide = ({ store }: Filled, snapshots: number, read: ReadOfWallet) => ({
        name: `${format(snapshots)} snapshots`,
        ...read(store.chain, store.sessions, snapshots),
      });
      for (const [what, read] of Object.entries(readsOfOneWallet)) {
        const most = toSide(one, count, read);
        const few = toSide(small, SESSIONS_PER_WALLET, read);
        yield createGrowthRow(`${what} of a wallet with many snapshots`, most, few, size.rounds);
      }
      for (const { what, create } of works) {
        const toSide = (filled: Filled) => ({ name: `${format(filled.sessions)} sessions`, ...create(filled) });
        yield createGrowthRow(what, toSide(large), toSide(small), size.rounds);
      }
    } finally {
      for (const store of stores) await store.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
