import type { Namespace } from "./view.ts";

/** What the wallet does with a response before the next step. `keeps`: the name of the result. */
export type Act =
  /** Signs a field's text (EIP-191 `personal_sign`). */
  | { readonly act: "sign_message"; readonly field: string; readonly keeps: string }
  /** Signs a field's payload (EIP-712 `eth_signTypedData_v4`). */
  | { readonly act: "sign_typed_data"; readonly field: string; readonly keeps: string }
  /** Sends a field's call and waits for its block; skipped if the response has none. */
  | { readonly act: "send_call"; readonly field: string; readonly keeps: string }
  /** Opens `{wsUrl}`, sends `{playToken}` first and plays until the `end` message. */
  | { readonly act: "play" };

export interface Step {
  readonly namespace: Namespace;
  /** Name of the route in the route table; null for a step outside HTTP. */
  readonly route: string | null;
  readonly title: string;
  readonly description: string;
  /** Values in braces are filled in: `{walletAddress}`, `{slug}`, and what earlier steps kept. */
  readonly body?: { readonly [field: string]: unknown };
  /** Which of the route's `otherExamples` shows the response; absent: the route's `example`. */
  readonly example?: string;
  /** Fields of the response to keep for later steps: name → field. */
  readonly keeps?: { readonly [name: string]: string };
  readonly acts?: readonly Act[];
}
