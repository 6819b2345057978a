import type { SignerKeys } from "../adapters/signer/index.ts";
import type { Config } from "../config/config.ts";
import type { GameList } from "../games/index.ts";
import type { Address, Clock, Deployment, Hex, Log } from "../ports.ts";
import type { Services } from "../services/services.ts";

export interface AppOptions {
  readonly config: Config;
  readonly keys: SignerKeys & { readonly operator: Hex };
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly log: Log;
  /** Folder of the built viewer, null where there is none. */
  readonly webDir: string | null;
  readonly clock?: Clock;
  /** Gives development ether; null on every chain but the local one. */
  readonly faucet?: ((address: Address, wei: bigint) => Promise<Hex>) | null;
  readonly pollMs?: number;
  /** The games to serve, the built-in ones when left out. */
  readonly gameList?: GameList;
}

export interface App {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly services: Services;
  /**
   * Refuses new work, ends sockets, stores everything and lets go of chain and store. For `lingerMs` the door still
   * answers (`/readyz` with 503, writes with `SHUTTING_DOWN`), so that whoever sends traffic here sees it stop.
   */
  close(options?: { readonly lingerMs?: number }): Promise<void>;
}
