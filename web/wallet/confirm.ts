/** Nothing is signed before a person has seen it: requests wait here for the answer that the signing dialog gets. */
import { type Signal, signal } from "@preact/signals";
import { type Abi, encodeFunctionData, type PublicClient } from "viem";
import type { Address, TypedData } from "../../client/api.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import { SIGNING_LABELS } from "../labels/signing.ts";
import { getContractName, type SiteChain } from "./chain.ts";
import {
  type DetailRow,
  describeArguments,
  describeTypedData,
  estimateGas,
  type TransactionDetails,
} from "./describe.ts";

/** What is to be signed. */
export type SigningRequest =
  | { readonly kind: "message"; readonly text: string }
  | {
      readonly kind: "typedData";
      readonly primaryType: string;
      readonly domain: string;
      readonly rows: readonly DetailRow[];
    }
  | {
      readonly kind: "transaction";
      readonly transaction: TransactionDetails;
      /** What the service has signed for it; null where the call needs no such signature. */
      readonly signed: { readonly primaryType: string; readonly rows: readonly DetailRow[] } | null;
    };

export interface PendingRequest {
  readonly request: SigningRequest;
  /** Where the signature is given from. */
  readonly address: Address;
  answer(isAgreed: boolean): void;
}

/** The request that waits for an answer, null where there is none. */
export const pendingRequest: Signal<PendingRequest | null> = signal(null);

/** A person has said no to a signature. */
export class RejectedByPersonError extends Error {
  readonly code = "REJECTED";

  constructor() {
    super(SIGNING_LABELS.rejected);
    this.name = "RejectedByPersonError";
  }
}

/** Requests are shown one after the other. */
let last: Promise<unknown> = Promise.resolve();

/** Shows a request. Rejects with `RejectedByPersonError` where the answer is no. */
export function confirmSigning(address: Address, request: SigningRequest): Promise<void> {
  const shown = last
    .catch(() => undefined)
    .then(
      () =>
        new Promise<void>((resolve, reject) => {
          pendingRequest.value = {
            ...{ request, address },
            answer(isAgreed) {
              pendingRequest.value = null;
              if (isAgreed) resolve();
              else reject(new RejectedByPersonError());
            },
          };
        }),
    );
  last = shown;
  return shown;
}

interface ConfirmationPorts {
  readonly chain: SiteChain;
  readonly publicClient: PublicClient;
}

const toShownTypedData = (chain: SiteChain, typedData: TypedData) => ({
  primaryType: typedData.primaryType,
  domain: `${typedData.domain.name} ${typedData.domain.version}`,
  rows: describeTypedData(chain, typedData),
});

/** A wallet that shows each signature and each transaction first. */
export function withConfirmation(wallet: ArcadeWallet, { chain, publicClient }: ConfirmationPorts): ArcadeWallet {
  const { address } = wallet;
  return {
    ...wallet,
    async signMessage(message) {
      await confirmSigning(address, { kind: "message", text: message });
      return wallet.signMessage(message);
    },
    async signTypedData(typedData) {
      await confirmSigning(address, { kind: "typedData", ...toShownTypedData(chain, typedData) });
      return wallet.signTypedData!(typedData);
    },
    async sendCall(call, signed) {
      const { to, data, functionName } = call;
      const value = BigInt(call.value);
      const gas = await estimateGas(publicClient, { from: address, to, data, value });
      const rows = describeArguments(chain, call);
      const transaction = { contractName: getContractName(chain, to), to, functionName, rows, value, data, gas };
      await confirmSigning(address, {
        kind: "transaction",
        transaction,
        signed: signed === undefined ? null : toShownTypedData(chain, signed),
      });
      return wallet.sendCall(call, signed);
    },
  };
}

/** Shows a call that is none of our contracts' prepared ones, before it is sent. */
export async function confirmContractCall(
  { chain, publicClient }: ConfirmationPorts,
  address: Address,
  call: {
    readonly to: Address;
    readonly abi: Abi;
    readonly functionName: string;
    readonly args: readonly unknown[];
    readonly value: bigint;
  },
): Promise<void> {
  const { to, abi, functionName, args, value } = call;
  const data = encodeFunctionData({ abi, functionName, args });
  const gas = await estimateGas(publicClient, { from: address, to, data, value });
  const rows = describeArguments(chain, { functionName, args }, abi);
  const transaction = { contractName: getContractName(chain, to), to, functionName, rows, value, data, gas };
  await confirmSigning(address, { kind: "transaction", transaction, signed: null });
}
