/** Pending signing requests for the dialog. Imports nothing from viem, which pages load later. */
import { type Signal, signal } from "@preact/signals";
import type { Address } from "../../client/api.ts";
import { SIGNING_LABELS } from "../labels/signing.ts";
import type { DetailRow, TransactionDetails } from "./describe.ts";

export type SigningRequest =
  | { readonly kind: "message"; readonly text: string }
  | {
      readonly kind: "typedData";
      /** What it does, as text; null if unknown. */
      readonly intent: string | null;
      readonly primaryType: string;
      readonly domain: string;
      readonly rows: readonly DetailRow[];
    }
  /** Several calls are sent as one. */
  | { readonly kind: "transaction"; readonly calls: readonly ShownCall[] };

/** A call before it is sent. */
export interface ShownCall {
  /** What it does, as text; null if unknown. */
  readonly intent: string | null;
  readonly transaction: TransactionDetails;
  /** The message that the service signed for it; null if the call needs none. */
  readonly signed: { readonly primaryType: string; readonly rows: readonly DetailRow[] } | null;
}

export interface PendingRequest {
  readonly request: SigningRequest;
  /** The address that signs. */
  readonly address: Address;
  answer(isAgreed: boolean): void;
}

/** The request that waits for the user's answer, or null. */
export const pendingRequest: Signal<PendingRequest | null> = signal(null);

/** The user rejected a signature. */
class RejectedByPersonError extends Error {
  readonly code = "REJECTED";

  constructor() {
    super(SIGNING_LABELS.rejected);
    this.name = "RejectedByPersonError";
  }
}

/** Requests are shown one after the other. */
let last: Promise<unknown> = Promise.resolve();

/** Shows a request. Rejects with `RejectedByPersonError` if the user declines. */
export function confirmSigning(address: Address, request: SigningRequest): Promise<void> {
  const shown = last
    .catch(() => undefined)
    .then(
      () =>
        new Promise<void>((resolve, reject) => {
          pendingRequest.value = {
            request,
            address,
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
