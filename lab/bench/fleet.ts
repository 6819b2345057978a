/**
 * `npm run lab -- bench fleet` (P15): signed endpoints and the start of a ranked session of a backend on PostgreSQL beside
 * one on SQLite, and of four backends on one PostgreSQL beside a single one: each backend in turn, and all at once, with
 * the same load of each. Needs Debian's postgresql and nats-server.
 */
import type { Benchmark, Row } from "./compare/types.ts";
import { createEndpoints } from "./endpoint/endpoints.ts";
import { createWorld, type World } from "./endpoint/world.ts";
import { type StoreLoad, StoreSide, type StoreSideOptions } from "./fleet/store-side.ts";
import { createStarts, type StoreWork, toStoreWork } from "./fleet/work.ts";

const BACKENDS = 4;
const SIZES = {
  full: {
    ...{ wallets: 1_000, rounds: 3 },
    signed: { connections: 50, requests: 600, warmUps: 2 },
    // Fewer than the games that run at once; of all backends together as many as wallets.
    starts: { connections: 50, requests: 250, warmUps: 8 },
  },
  quick: {
    ...{ wallets: 100, rounds: 2 },
    signed: { connections: 20, requests: 50, warmUps: 1 },
    starts: { connections: 20, requests: 25, warmUps: 1 },
  },
};
/** One of them is on chain; each of the others is signed once, in a round or before. */
const SESSIONS_PER_WALLET = 20;
const MEASURED = ["rewards/snapshot", "identity/register"];

function createRows(work: StoreWork, world: World, rounds: number, load: StoreLoad): readonly Row[] {
  const create = (name: string, options: StoreSideOptions) => new StoreSide(name, work, world, load, options);
  const common = {
    id: "P15",
    figure: { name: "CPU of the backends for each answer, less what they use without", unit: "us", better: "lower" },
    rounds,
  } as const;
  const what = `${work.name} at ${load.connections} connections`;
  return [
    {
      ...common,
      what: `${what}, on PostgreSQL`,
      sides: [
        create("on PostgreSQL", { store: "postgres", backends: 1 }),
        create("on SQLite", { store: "sqlite", backends: 1 }),
      ],
      idle: create("answers without work", { store: "postgres", backends: 1, isIdle: true }),
      bars: [{ against: "on SQLite", share: 1.6 }],
    },
    ...[true, false].map(
      (isInTurn): Row => ({
        ...common,
        what: `${what}, ${BACKENDS} backends, loaded ${isInTurn ? "in turn" : "all at once"}`,
        sides: [
          create(`${BACKENDS} backends`, { store: "postgres", backends: BACKENDS, isInTurn }),
          create("one backend", { store: "postgres", backends: 1 }),
        ],
        idle: create("answers without work", { store: "postgres", backends: BACKENDS, isInTurn, isIdle: true }),
        bars: [{ against: "one backend", share: 1.15 }],
      }),
    ),
  ];
}

/** The chain of one world is stopped before that of the next one starts. */
async function* createWorldRows(
  world: World,
  works: readonly StoreWork[],
  { rounds, load }: { readonly rounds: number; readonly load: StoreLoad },
): AsyncGenerator<Row> {
  try {
    for (const work of works) yield* createRows(work, world, rounds, load);
  } finally {
    await world.close();
  }
}

export const benchmark: Benchmark = {
  summary: "signed endpoints and starts on PostgreSQL beside SQLite, and of four backends beside one (P15)",
  async *rows({ isQuick }) {
    const { wallets, rounds, signed, starts } = isQuick ? SIZES.quick : SIZES.full;
    const world = await createWorld(wallets, SESSIONS_PER_WALLET);
    const endpoints = createEndpoints(world).filter(({ name }) => MEASURED.includes(name));
    yield* createWorldRows(world, endpoints.map(toStoreWork), { rounds, load: signed });
    // Without scores, which wallets would have to bring on chain before they start.
    const fresh = await createWorld(wallets, 0);
    yield* createWorldRows(fresh, [createStarts(fresh)], { rounds, load: starts });
  },
};
