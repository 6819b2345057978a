import { BaseError, type Hex, http, RpcRequestError } from "viem";
import { findQuantityFault } from "../../domain/rpc-quantities.ts";

export type RpcRequest = (args: { readonly method: string; readonly params?: readonly unknown[] }) => Promise<unknown>;

const TIMEOUT_MS = 15_000;

/** JSON-RPC whose errors carry the node's own message, code and revert data, as EIP-1193 requires. */
export function createRpcRequest(rpcUrl: string, retryCount = 4): RpcRequest {
  const { request } = http(rpcUrl, { timeout: TIMEOUT_MS, retryCount, retryDelay: 500 })({});
  return async ({ method, params }) => {
    try {
      const result: unknown = await request({ method, params } as never);
      const fault = findQuantityFault(method, result);
      if (fault !== null) throw new Error(`it returns ${fault}`);
      return result;
    } catch (error) {
      const cause = error instanceof BaseError ? error.walk((one) => one instanceof RpcRequestError) : null;
      if (!(cause instanceof RpcRequestError)) throw error;
      // Geth after a restart: the transaction may exist, and is looked up again like one without a block.
      if (method.startsWith("eth_getTransaction") && /indexing is in progress/.test(cause.details)) return null;
      throw Object.assign(new Error(cause.details, { cause: error }), { code: cause.code, data: cause.data });
    }
  };
}

/** Sends signed bytes; succeeds if the node already knows the transaction. */
export async function broadcast(request: RpcRequest, raw: Hex, txHash: Hex): Promise<void> {
  try {
    await request({ method: "eth_sendRawTransaction", params: [raw] });
  } catch (error) {
    if ((await request({ method: "eth_getTransactionByHash", params: [txHash] })) === null) throw error;
  }
}
