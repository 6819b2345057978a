import type { Address } from "viem";

/** An ERC-8004 Identity registry of others, on the deployment's chain. Methods throw `CHAIN_UNAVAILABLE`. */
export interface AgentRegistry {
  readonly address: Address;
  /** Whether the wallet owns the agent, or is the wallet that acts for it; false where there is no such agent. */
  isHeldBy(agentId: bigint, wallet: Address): Promise<boolean>;
}
