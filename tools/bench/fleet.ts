/**
 * `npm run bench -- fleet` (P15): a signed endpoint of a backend on PostgreSQL beside one on SQLite, and of four backends
 * on one PostgreSQL beside a single one. Needs Debian's postgresql and nats-server.
 */
import type { Benchmark, Row } from "./compare/types.ts";
import { createEndpoints, type Endpoint } from "./endpoint/endpoints.ts";
import { createWorld, type World } from "./endpoint/world.ts";
import { type StoreLoad, StoreSide, type StoreSideOptions } from "./fleet/store-side.ts";

const BACKENDS = 4;
const SIZES = {
  full: { wallets: 1_000, rounds: 7, load: { connections: 50, requests: 1_000, warmUp: 2_000 } },
  quick: { wallets: 100, rounds: 2, load: { connections: 20, requests: 100, warmUp: 100 } },
};
const SESSIONS_PER_WALLET = 10;
const MEASURED = ["rewards/snapshot", "identity/register"];

function createRows(endpoint: Endpoint, world: World, rounds: number, load: StoreLoad): readonly Row[] {
  const create = (name: string, options: StoreSideOptions) => new StoreSide(name, endpoint, world, load, options);
  const common = {
    id: "P15",
    figure: { name: "CPU of the backends for each answer", unit: "us", better: "lower" },
    rounds,
  } as const;
  const what = `${endpoint.name} at ${load.connections} connections`;
  return [
    {
      ...common,
      what: `${what}, on PostgreSQL`,
      sides: [
        create("on PostgreSQL", { store: "postgres", backends: 1 }),
        create("on SQLite", { store: "sqlite", backends: 1 }),
      ],
      planted: create("answers without work", { store: "postgres", backends: 1, isIdle: true }),
      bars: [{ against: "on SQLite", share: 1.6 }],
    },
    {
      ...common,
      what: `${what}, ${BACKENDS} backends`,
      sides: [
        create(`${BACKENDS} backends`, { store: "postgres", backends: BACKENDS }),
        create("one backend", { store: "postgres", backends: 1 }),
      ],
      planted: create("answers without work", { store: "postgres", backends: BACKENDS, isIdle: true }),
      bars: [{ against: "one backend", share: 1.15 }],
    },
  ];
}

export const benchmark: Benchmark = {
  summary: "signed endpoints on PostgreSQL beside SQLite, and of four backends beside one (P15)",
  async *rows({ isQuick }) {
    const { wallets, rounds, load } = isQuick ? SIZES.quick : SIZES.full;
    const world = await createWorld(wallets, SESSIONS_PER_WALLET);
    try {
      for (const endpoint of createEndpoints(world))
        if (MEASURED.includes(endpoint.name)) yield* createRows(endpoint, world, rounds, load);
    } finally {
      await world.close();
    }
  },
};
