import { type Address, decodeFunctionResult, encodeFunctionData, isAddressEqual, parseAbi, size } from "viem";
import type { AgentRegistry } from "../../ports/agent-registry.ts";
import { callUntrusted } from "./contract-wallet.ts";
import type { Rpc } from "./rpc.ts";

const ABI = parseAbi([
  "function ownerOf(uint256 agentId) view returns (address)",
  "function getAgentWallet(uint256 agentId) view returns (address)",
]);
type View = (typeof ABI)[number]["name"];

/** The address that a view returns; null where it reverts or returns something else. The registry's code is foreign. */
async function readAddress(rpc: Rpc, to: Address, functionName: View, agentId: bigint): Promise<Address | null> {
  const data = encodeFunctionData({ abi: ABI, functionName, args: [agentId] });
  const result = await callUntrusted(rpc, { to, data });
  if (result === null || size(result) !== 32 || !/^0x0{24}/.test(result)) return null;
  return decodeFunctionResult({ abi: ABI, functionName, data: result });
}

/** The Identity registry of others at an address. */
export const createAgentRegistry = (rpc: Rpc, address: Address): AgentRegistry => ({
  address,
  isHeldBy: async (agentId, wallet) => {
    const holders = await Promise.all([
      readAddress(rpc, address, "ownerOf", agentId),
      readAddress(rpc, address, "getAgentWallet", agentId),
    ]);
    return holders.some((holder) => holder !== null && isAddressEqual(holder, wallet));
  },
});
