/** Identities that change hands. */
import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { createAgent, type Player } from "../../../testing/player.ts";
import type { TestStack } from "../../helpers/suite.ts";
import { sendCall, transferToken } from "./on-chain.ts";

const ABI = parseAbi(["function setPrimaryIdentity(uint256 agentId)"]);

/** The wallet's primary identity. */
export const getAgentId = async (player: Player): Promise<string> =>
  (await player.client.identity.ownershipStatus({ walletAddress: player.address })).agentId!;

/** Another wallet's identity, given to the player. */
export async function receiveIdentity(stack: TestStack, player: Player): Promise<string> {
  const giver = await createAgent(stack);
  const agentId = await getAgentId(giver);
  await transferToken(giver, stack.deployment.identity, player.address, agentId);
  return agentId;
}

export const choosePrimary = (stack: TestStack, player: Player, agentId: string): Promise<Hex> =>
  sendCall(player, {
    to: stack.deployment.identity,
    data: encodeFunctionData({ abi: ABI, functionName: "setPrimaryIdentity", args: [BigInt(agentId)] }),
  });
