import type { EIP1193Provider } from "@nomicfoundation/ignition-core";
import {
  BaseError,
  http,
  keccak256,
  type PrivateKeyAccount,
  RpcRequestError,
  type TransactionSerializable,
} from "viem";
import { recordSent } from "./sent-log.ts";

type Hex = `0x${string}`;
type RpcFields = { readonly [field: string]: Hex | undefined };
export type Request = (args: { readonly method: string; readonly params?: readonly unknown[] }) => Promise<unknown>;

const TIMEOUT_MS = 15_000;

/** JSON-RPC whose errors carry the node's own message, code and revert data, as EIP-1193 asks. */
export function createRequest(rpcUrl: string, retryCount = 4): Request {
  const { request } = http(rpcUrl, { timeout: TIMEOUT_MS, retryCount, retryDelay: 500 })({});
  return async ({ method, params }) => {
    try {
      return await request({ method, params } as never);
    } catch (error) {
      const cause = error instanceof BaseError ? error.walk((one) => one instanceof RpcRequestError) : null;
      if (!(cause instanceof RpcRequestError)) throw error;
      throw Object.assign(new Error(cause.details, { cause: error }), { code: cause.code, data: cause.data });
    }
  };
}

const toBigInt = (value: Hex | undefined): bigint | undefined => (value === undefined ? undefined : BigInt(value));

function makeTransaction(fields: RpcFields, chainId: number): TransactionSerializable & { readonly nonce: number } {
  const { to, data, value, gas, nonce, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = fields;
  if (nonce === undefined) throw new Error("a transaction without a nonce");
  const call = {
    chainId,
    nonce: Number(nonce),
    value: toBigInt(value) ?? 0n,
    ...(to === undefined ? {} : { to }),
    ...(data === undefined ? {} : { data }),
    ...(gas === undefined ? {} : { gas: BigInt(gas) }),
  };
  return gasPrice === undefined
    ? {
        ...call,
        type: "eip1559",
        maxFeePerGas: toBigInt(maxFeePerGas) ?? 0n,
        maxPriorityFeePerGas: toBigInt(maxPriorityFeePerGas) ?? 0n,
      }
    : { ...call, type: "legacy", gasPrice: BigInt(gasPrice) };
}

/** Sends signed bytes; a node that knows the transaction already has not refused it. */
export async function broadcast(request: Request, raw: Hex, txHash: Hex): Promise<void> {
  try {
    await request({ method: "eth_sendRawTransaction", params: [raw] });
  } catch (error) {
    if ((await request({ method: "eth_getTransactionByHash", params: [txHash] })) === null) throw error;
  }
}

/**
 * An EIP-1193 provider that signs by itself and writes every transaction down before it is broadcast: after an
 * interruption at any moment the transaction is found again by its hash, and sent again where it did not arrive.
 */
export const createDeployerProvider = (
  request: Request,
  account: PrivateKeyAccount,
  chainId: number,
  folder: string,
): EIP1193Provider => ({
  request: async ({ method, params }) => {
    if (method === "eth_accounts") return [account.address];
    if (method !== "eth_sendTransaction") {
      return await request({ method, ...(params === undefined ? {} : { params: params as readonly unknown[] }) });
    }
    const transaction = makeTransaction((params as [RpcFields])[0], chainId);
    const raw = await account.signTransaction(transaction);
    const txHash = keccak256(raw);
    recordSent(folder, { nonce: transaction.nonce, txHash, raw });
    await broadcast(request, raw, txHash);
    return txHash;
  },
});
