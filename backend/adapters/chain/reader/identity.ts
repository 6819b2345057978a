import { type Address, BaseError, decodeFunctionResult, encodeFunctionData, size } from "viem";
import { agentIdentityAbi as abi } from "../../../../domain/typed-data/contract-abis.ts";
import type { Rpc } from "../rpc.ts";
import { createUnavailableError, findRevert, findRpcError, toUnavailable } from "../rpc-errors.ts";

/** Longer URIs count as absent. The gas limits what the node reads and sends for one. */
const TOKEN_URI_BYTES_MAX = 8_192;
const TOKEN_URI_GAS = 1_500_000n;

/** The contract AgentIdentity. */
export function createIdentityReads(rpc: Rpc, address: Address) {
  const contract = { address, abi };

  async function getOwner(agentId: bigint): Promise<Address | null> {
    const call = { ...contract, functionName: "ownerOf", args: [agentId] } as const;
    try {
      return await rpc.withDeadline((client) => client.readContract(call));
    } catch (error) {
      if (findRevert(error) !== null) return null;
      throw error;
    }
  }

  /** A separate call: the owner chooses the URI, and a long one can make the node fail. */
  async function readTokenUri(agentId: bigint): Promise<string | null> {
    const data = encodeFunctionData({ abi, functionName: "tokenURI", args: [agentId] });
    try {
      const result = await rpc.withDeadline((client) => client.call({ to: address, data, gas: TOKEN_URI_GAS }), {
        passThrough: "errors",
        isUntrusted: true,
      });
      const bytes = size(result.data ?? "0x");
      if (bytes === 0 || bytes > TOKEN_URI_BYTES_MAX) return null;
      return decodeFunctionResult({ abi, functionName: "tokenURI", data: result.data! });
    } catch (error) {
      // The call reverted, needed too much gas, or returned bytes that are not a string.
      if (error instanceof BaseError) return null;
      throw error;
    }
  }

  return {
    getPrimaryIdentity: async (wallet: Address): Promise<bigint | null> => {
      const call = { ...contract, functionName: "primaryIdentity", args: [wallet] } as const;
      return (await rpc.withDeadline((client) => client.readContract(call))) || null;
    },

    getPrimaryIdentityAt: async (wallet: Address, block: number): Promise<bigint | null> => {
      const call = {
        ...contract,
        functionName: "primaryIdentity",
        args: [wallet],
        blockNumber: BigInt(block),
      } as const;
      try {
        // A node without the state of the block reports a JSON-RPC error, which must not count as an outage.
        return (await rpc.withDeadline((client) => client.readContract(call), { passThrough: "errors" })) || null;
      } catch (error) {
        if (findRpcError(error) === null) throw toUnavailable(error);
        throw createUnavailableError(`it does not keep the state of block ${block}`);
      }
    },

    getIdentity: async (agentId: bigint) => {
      const [owner, tokenURI] = await Promise.all([getOwner(agentId), readTokenUri(agentId)]);
      return owner === null ? null : { owner, tokenURI };
    },

    getIdentityCount: (wallet: Address) =>
      rpc.withDeadline((client) => client.readContract({ ...contract, functionName: "balanceOf", args: [wallet] })),
  };
}
