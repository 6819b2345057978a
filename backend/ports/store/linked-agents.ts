import type { Address, Hex } from "viem";

export interface LinkedAgentRow {
  readonly wallet: Address;
  /** The Identity registry of others. */
  readonly registry: Address;
  /** Decimal text. */
  readonly agentId: string;
  /** What the wallet has signed, with this deadline in unix seconds. */
  readonly deadline: string;
  readonly signature: Hex;
  readonly linkedAtMs: number;
}

export interface LinkedAgentStore {
  /** Links an agent: the wallet's earlier link ends, and so does another wallet's link of the same agent. */
  put(row: LinkedAgentRow): Promise<void>;
  find(wallet: Address): Promise<LinkedAgentRow | null>;
  /** Ends the link of exactly this agent. Returns whether there was one. */
  remove(link: Pick<LinkedAgentRow, "wallet" | "registry" | "agentId">): Promise<boolean>;
  /** Links of wallets after the given one (null: from the first), in the order of the wallets' text. */
  list(query: { readonly afterWallet: Address | null; readonly limit: number }): Promise<readonly LinkedAgentRow[]>;
}
