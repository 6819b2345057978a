/** The options of `startArcade`. */
import { requireInteger, requireOneOf, TestingError } from "./errors.ts";

export const STAGES = [
  "deployed",
  "registered",
  "signed-in",
  "session-ended",
  "score-on-chain",
  "nft-minted",
  "paid",
] as const;
export type Stage = (typeof STAGES)[number];

export interface ArcadeOptions {
  /** The stage to start from; `deployed` by default. */
  readonly at?: Stage;
  /** Decides every random value: the courses of the sessions, the ids and tokens of the stage. 1 by default. */
  readonly seed?: number;
  /** Must be 1: several backends need PostgreSQL and NATS, see `npm run fleet`. */
  readonly backends?: 1;
  /** Ports of service and chain; free ones by default. */
  readonly port?: number;
  readonly rpcPort?: number;
  /** True: ticks wait for the bot, so that a game takes only as long as its bot thinks. */
  readonly fastSessions?: boolean;
  /** Whether to serve the site. */
  readonly site?: boolean;
  /** Further settings of the service, as in docs/config.md. */
  readonly env?: { readonly [name: string]: string };
}

const OPTIONS = ["at", "seed", "backends", "port", "rpcPort", "fastSessions", "site", "env"] as const;
const SEED_MAX = 2 ** 32 - 1;
const PORT_MAX = 65_535;

/** Throws `TestingError` for wrong options. */
export function checkOptions(options: ArcadeOptions) {
  for (const name of Object.keys(options)) requireOneOf("INVALID_OPTION", "options", OPTIONS, name);
  const { at = "deployed", seed = 1, backends = 1, port = 0, rpcPort = 0 } = options;
  if (backends !== 1)
    throw new TestingError(
      "INVALID_OPTION",
      `backends: expected 1 (several need PostgreSQL and NATS: npm run fleet in a clone); received ${backends}`,
    );
  return {
    at: requireOneOf("UNKNOWN_STAGE", "at", STAGES, at),
    seed: requireInteger("seed", seed, 0, SEED_MAX),
    port: requireInteger("port", port, 0, PORT_MAX),
    rpcPort: requireInteger("rpcPort", rpcPort, 0, PORT_MAX),
  };
}
