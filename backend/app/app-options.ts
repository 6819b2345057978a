import type { Address, Hex } from "viem";
import type { KeySource } from "../../domain/keys.ts";
import type { GameList } from "../../games/index.ts";
import type { SignerKeys } from "../adapters/signer/signers.ts";
import type { ThreadPool } from "../adapters/worker/worker.ts";
import type { Config } from "../config/config.ts";
import type { Deployment } from "../ports/chain.ts";
import type { Doctor } from "../ports/doctor.ts";
import type { Clock, Log, RateLimiter } from "../ports/system.ts";
import type { Services } from "../services/services.ts";
import type { TestSessions } from "../services/sessions/session-opener.ts";

export interface AppOptions {
  readonly config: Config;
  readonly keys: SignerKeys & { readonly operator: KeySource };
  readonly rpcUrl: string;
  /** Further nodes of the same chain. */
  readonly moreRpcUrls?: readonly string[];
  readonly deployment: Deployment;
  readonly log: Log;
  /** Folder of the built site, null if there is none. */
  readonly webDir: string | null;
  /** The system's clock by default. */
  readonly clock?: Clock;
  /** By default a limiter in memory, which the configuration turns on or off. */
  readonly limiter?: RateLimiter;
  /** Sends development ether; null on every chain but the local one. */
  readonly faucet?: ((address: Address, wei: bigint) => Promise<Hex>) | null;
  /** Registers a callback for changes of a chain that runs in this process. */
  readonly onChainChanged?: (listener: () => void) => void;
  /** Runs the checks of `npm run doctor` for the console; without it the console has none. */
  readonly doctor?: Doctor;
  /** Called when another backend has taken over the database, after this one is closed. */
  readonly onTakenOver?: () => void;
  /** The games to serve; the built-in ones by default. */
  readonly gameList?: GameList;
  /** How a test controls its sessions; local chain only. */
  readonly testSessions?: TestSessions;
  /** Threads that outlive the service; by default it opens its own. */
  readonly threadPool?: ThreadPool;
}

export interface App {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly services: Services;
  /**
   * From now on signs with these keys. The operator's account must stay the same; its URL or token may change. Throws
   * `ConfigError` if a contract rejects a key, and `CHAIN_UNAVAILABLE`; nothing changes then.
   */
  exchangeSigners(keys: AppOptions["keys"]): Promise<void>;
  /**
   * Rejects new work, closes the sockets, stores everything, and closes chain and store. For `lingerMs` the server
   * still responds (`/readyz` with 503, writes with `SHUTTING_DOWN`), so that a load balancer notices the stop.
   */
  close(options?: { readonly lingerMs?: number }): Promise<void>;
}
