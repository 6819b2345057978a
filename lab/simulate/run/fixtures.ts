/** Fixtures that all runs of a process share: keys, addresses, limits, and an empty store. */
import { createHash } from "node:crypto";
import { type Address, getAddress, type Hex } from "viem";
import { createSigningKey, type SigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import { openConnection } from "../../../backend/adapters/store/connection.ts";
import { createLeaseTable } from "../../../backend/adapters/store/lease/rows.ts";
import { createNodeTable } from "../../../backend/adapters/store/nodes/nodes.ts";
import { openStoreOn } from "../../../backend/adapters/store/open-store.ts";
import { createSqliteDialect, openSqliteFile } from "../../../backend/adapters/store/sqlite.ts";
import type { AppOptions } from "../../../backend/app/app-options.ts";
import { type Config, readConfig } from "../../../backend/config/config.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import { REGISTRATION_FILES_PATH } from "../../../domain/identity.ts";
import { Contracts } from "../chain/contracts.ts";
import { createState, type Limits } from "../chain/state.ts";
import { RunDatabase } from "../world/run-database.ts";
import { simulatedGames, tally } from "./game.ts";
import type { InitialState } from "./initial-state.ts";

export interface Fixtures {
  readonly config: Config;
  readonly keys: AppOptions["keys"];
  /** Of former operators. */
  readonly formerKeys: { readonly withRole: Hex; readonly withoutRole: Hex };
  readonly contracts: Contracts;
  /** An empty store and a chain with only the contracts. */
  readonly initialState: InitialState;
  readonly wallets: readonly SigningKey[];
}

const PUBLIC_URL = "https://arcade.example";
const CHAIN_ID = 84_532;
const START_MS = Date.UTC(2031, 4, 14, 9);
const WALLETS = 4;
/** The gas of five and a half calls in the model, margin included: two agents without ether need more. */
const SPONSOR_GAS_PER_DAY = 5.5 * 160_000;

/** Above the fees that rise for good, and below those that rise for a while. */
const FEE_CAP_GWEI = 99;

export const toKey = (name: string): Hex => `0x${createHash("sha256").update(`simulated ${name}`).digest("hex")}`;
const toAddress = (name: string): Address => getAddress(toKey(name).slice(0, 42));

/** Short cooldowns, so that a run of a minute sees payouts. */
const LIMITS: Limits = {
  rate: 10n ** 15n,
  cooldownSeconds: 12n,
  minScore: 1n,
  maxPayout: 1_000_000n,
  dailyCap: 2_000_000n,
  weeklyCap: 4_000_000n,
  maxScorePerSession: 10_000n,
};

const deployment: Deployment = {
  chainId: CHAIN_ID,
  startBlock: 1,
  identity: toAddress("identity"),
  rewards: toAddress("rewards"),
  token: toAddress("token"),
  market: null,
  nft: { [tally.slug]: toAddress("nft") },
};

/**
 * A store with all tables, as bytes: migrating one takes longer than a run. It has the tables of leases as well: after
 * each rollback of a table's creation SQLite would read the schema and compile every statement again.
 */
async function createTemplate(): Promise<Buffer> {
  const database = openSqliteFile("sqlite::memory:");
  const dialect = createSqliteDialect(database);
  const connection = openConnection(dialect, { busyWaitMs: 0 });
  for (const create of [createLeaseTable, createNodeTable]) await connection.alter(create);
  const store = await openStoreOn({ dialect }, {});
  const bytes = database.serialize();
  await store.close();
  return bytes;
}

export async function createFixtures(): Promise<Fixtures> {
  const keys = {
    operator: toKey("operator"),
    identity: toKey("identity"),
    score: toKey("score"),
    nft: { [tally.slug]: toKey("nft") },
  };
  const formerKeys = { withRole: toKey("former operator"), withoutRole: toKey("dismissed operator") };
  const addressOf = (key: Hex): Address => createSigningKey(key).address;
  const nftKey = keys.nft[tally.slug]!;
  const contracts = new Contracts({
    deployment,
    limits: LIMITS,
    operator: addressOf(keys.operator),
    formerOperator: addressOf(formerKeys.withRole),
    signers: {
      identity: addressOf(keys.identity),
      score: addressOf(keys.score),
      nft: { [tally.slug]: addressOf(nftKey) },
    },
    tiers: { [tally.slug]: tally.nft.tiers.map(({ minScore }) => BigInt(minScore)) },
    baseUri: `${PUBLIC_URL}${REGISTRATION_FILES_PATH}`,
  });
  const environment = {
    ...{ ARCADE_PUBLIC_URL: PUBLIC_URL, ARCADE_DATABASE_URL: "sqlite::memory:" },
    ARCADE_OPERATOR_FEE_CAP_GWEI: String(FEE_CAP_GWEI),
    ...{ ARCADE_SPONSOR: "on", ARCADE_SPONSOR_GAS_PER_DAY: String(SPONSOR_GAS_PER_DAY) },
  };
  return {
    config: readConfig(environment, simulatedGames.games),
    keys,
    formerKeys,
    contracts,
    initialState: {
      database: new RunDatabase(await createTemplate()),
      chain: {
        time: Math.floor(START_MS / 1000),
        state: createState(new Map([[deployment.rewards.toLowerCase(), 10n ** 24n]])),
      },
      ...{ startMs: START_MS, memory: null, known: null },
    },
    wallets: Array.from({ length: WALLETS }, (_, index) => createSigningKey(toKey(`wallet ${index}`))),
  };
}
