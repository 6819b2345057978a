import type { ArcadeParameters, ArcadeRoles } from "../modules/parameters.ts";

/** A network that is deployed to: where it is, how sure a block is there, and what the contracts are made with. */
export interface NetworkPlan {
  /** As `--network` knows it. */
  readonly name: string;
  readonly title: string;
  readonly chainId: number;
  /** A public node; `--rpc-url` and ARCADE_RPC_URL come first. */
  readonly rpcUrl: string;
  /** Tokens have a price here: the admin must be a contract (a Safe or a timelock). */
  readonly isProduction: boolean;
  /** Blocks a transaction waits for, its own included, before the next step. */
  readonly confirmations: number;
  readonly explorerUrl: string | null;
  readonly makeParameters: (roles: ArcadeRoles) => ArcadeParameters;
}
