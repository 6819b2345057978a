/** Links an agent that the wallet holds in another ERC-8004 Identity registry to its profile. */
import { createLinkAgent, LINK_SECONDS_MAX } from "../domain/linked-agent.ts";
import type { ArcadeClient } from "./client.ts";
import { getWallet } from "./flows.ts";

/**
 * Signs the link and sends it. Returns the profile with the linked agent. `nowMs`: the present time. Throws `TypeError`
 * where the client has no wallet that signs typed data, `ArcadeApiError`, and what the wallet throws.
 */
export async function linkAgent(options: {
  readonly client: ArcadeClient;
  readonly agentRegistry: `0x${string}`;
  readonly agentId: string;
  readonly nowMs?: number;
}) {
  const { client, agentRegistry, agentId, nowMs = Date.now() } = options;
  const wallet = getWallet({ client });
  if (wallet.signTypedData === undefined)
    throw new TypeError("This flow needs a wallet that signs typed data (EIP-712)");
  const { chainId, identity } = await client.getContracts();
  const deadline = String(Math.floor(nowMs / 1000) + LINK_SECONDS_MAX / 2);
  // The payload is made here: the service cannot put another message under the signature.
  const link = createLinkAgent({ chainId, identity }, { wallet: wallet.address, agentRegistry, agentId, deadline });
  const signature = await wallet.signTypedData(link);
  const { profile } = await client.identity.linkAgent({ agentRegistry, agentId, deadline, signature });
  return profile;
}
