/** What the tools of one request use. */
import type { ArcadeClient } from "../client/client.ts";
import type { Plays } from "./plays.ts";
import type { Simulations } from "./simulations.ts";

export interface ToolContext {
  /** With a wallet if the server has its own key. */
  readonly client: ArcadeClient;
  /** The caller's access token; null without one, or if the client signs in automatically. */
  readonly token: string | null;
  /** The caller's IP address; null if the only caller is the local user. */
  readonly address: string | null;
  /** Whether the service runs on the local chain, which has a faucet. */
  readonly isLocal: boolean;
  readonly hasLeague: boolean;
  readonly plays: Plays;
  readonly simulations: Simulations;
}
