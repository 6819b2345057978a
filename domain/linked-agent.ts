/** An agent of another ERC-8004 Identity registry (https://eips.ethereum.org/EIPS/eip-8004) that a wallet brings along. */
import type { Address } from "viem";
import { createTypedData, type TypedData } from "./typed-data/messages.ts";

/** How far ahead, in seconds, the deadline of a link may lie. */
export const LINK_SECONDS_MAX = 3600;

/** What the wallet signs to link an agent to its profile of this deployment. `deadline`: unix seconds. */
export const createLinkAgent = (
  { chainId, identity }: { readonly chainId: number; readonly identity: Address },
  link: {
    readonly wallet: Address;
    readonly agentRegistry: Address;
    readonly agentId: string;
    readonly deadline: string;
  },
): TypedData => createTypedData("LinkAgent", { chainId, verifyingContract: identity }, { ...link });

/** A linked agent as ERC-8004 names it. */
export interface LinkedAgent {
  readonly agentId: string;
  /** `eip155:CHAIN:ADDRESS`. */
  readonly agentRegistry: string;
}
