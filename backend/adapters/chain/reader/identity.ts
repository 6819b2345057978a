import { type Address, BaseError, decodeFunctionResult, encodeFunctionData, size } from "viem";
import { agentIdentityAbi } from "../abi.ts";
import type { Rpc } from "../rpc.ts";
import { createUnavailableError, findRevert, findRpcError, toUnavailable } from "../rpc-errors.ts";

/** Longer URIs are treated as absent. The gas bounds what the node reads and sends for one. */
const TOKEN_URI_BYTES_MAX = 8_192;
const TOKEN_URI_GAS = 1_500_000n;

/** The contract AgentIdentity. */
export class IdentityReader {
  readonly #rpc: Rpc;
  readonly #contract: { readonly address: Address; readonly abi: typeof agentIdentityAbi };

  constructor(rpc: Rpc, address: Address) {
    this.#rpc = rpc;
    this.#contract = { address, abi: agentIdentityAbi };
  }

  async getPrimaryIdentity(wallet: Address): Promise<bigint | null> {
    const agentId = await this.#rpc.withDeadline((client) =>
      client.readContract({ ...this.#contract, functionName: "primaryIdentity", args: [wallet] }),
    );
    return agentId === 0n ? null : agentId;
  }

  async getPrimaryIdentityAt(wallet: Address, block: number): Promise<bigint | null> {
    const call = { ...this.#contract, functionName: "primaryIdentity", args: [wallet] } as const;
    try {
      // A node without the state of the block reports a JSON-RPC error, which must not count as an outage.
      const agentId = await this.#rpc.withDeadline(
        (client) => client.readContract({ ...call, blockNumber: BigInt(block) }),
        { passThrough: "errors" },
      );
      return agentId === 0n ? null : agentId;
    } catch (error) {
      if (findRpcError(error) === null) throw toUnavailable(error);
      throw createUnavailableError(`it does not keep the state of block ${block}`);
    }
  }

  async getIdentity(agentId: bigint): Promise<{ readonly owner: Address; readonly tokenURI: string | null } | null> {
    const [owner, tokenURI] = await Promise.all([this.#getOwner(agentId), this.#readTokenUri(agentId)]);
    return owner === null ? null : { owner, tokenURI };
  }

  async #getOwner(agentId: bigint): Promise<Address | null> {
    const call = { ...this.#contract, functionName: "ownerOf", args: [agentId] } as const;
    try {
      return await this.#rpc.withDeadline((client) => client.readContract(call));
    } catch (error) {
      if (findRevert(error) !== null) return null;
      throw error;
    }
  }

  /** A call of its own: each owner chooses the URI, and so how long it is and how the node fails over it. */
  async #readTokenUri(agentId: bigint): Promise<string | null> {
    const { address, abi } = this.#contract;
    const data = encodeFunctionData({ abi, functionName: "tokenURI", args: [agentId] });
    try {
      const result = await this.#rpc.withDeadline((client) => client.call({ to: address, data, gas: TOKEN_URI_GAS }), {
        passThrough: "errors",
        isUntrusted: true,
      });
      const bytes = size(result.data ?? "0x");
      if (bytes === 0 || bytes > TOKEN_URI_BYTES_MAX) return null;
      return decodeFunctionResult({ abi, functionName: "tokenURI", data: result.data! });
    } catch (error) {
      // A revert, too much gas, or bytes that are no string.
      if (error instanceof BaseError) return null;
      throw error;
    }
  }

  /** The number of identities that the wallet owns. */
  getIdentityCount(wallet: Address): Promise<bigint> {
    return this.#rpc.withDeadline((client) =>
      client.readContract({ ...this.#contract, functionName: "balanceOf", args: [wallet] }),
    );
  }
}
