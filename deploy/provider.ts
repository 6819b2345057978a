import type { EIP1193Provider } from "@nomicfoundation/ignition-core";
import type { Hex } from "viem";
import { createWalletClient, http, type PrivateKeyAccount, type TransactionRequest } from "viem";
import { localChain } from "./local-chain.ts";

type RpcFields = { readonly [field: string]: Hex | undefined };

const toBigInt = (value: Hex | undefined): bigint | undefined => (value === undefined ? undefined : BigInt(value));

/** An EIP-1193 provider that signs `eth_sendTransaction` with its own key, so that no account needs to be unlocked. */
export function createSigningProvider(rpcUrl: string, account: PrivateKeyAccount): EIP1193Provider {
  const client = createWalletClient({ account, chain: localChain, transport: http(rpcUrl) });

  const send = (fields: RpcFields): Promise<Hex> => {
    const request: TransactionRequest = {
      ...(fields.to === undefined ? {} : { to: fields.to }),
      ...(fields.data === undefined ? {} : { data: fields.data }),
      value: toBigInt(fields.value) ?? 0n,
      gas: toBigInt(fields.gas),
      ...(fields.nonce === undefined ? {} : { nonce: Number(fields.nonce) }),
      ...(fields.maxFeePerGas === undefined
        ? {}
        : {
            maxFeePerGas: toBigInt(fields.maxFeePerGas),
            maxPriorityFeePerGas: toBigInt(fields.maxPriorityFeePerGas),
          }),
    };
    return client.sendTransaction(request as Parameters<typeof client.sendTransaction>[0]);
  };

  return {
    request: async ({ method, params }) => {
      if (method === "eth_accounts") return [account.address];
      if (method === "eth_sendTransaction") return await send((params as [RpcFields])[0]);
      return await client.request({ method, params } as never);
    },
  };
}
