import { findRpcError } from "../rpc-errors.ts";

/** The meaning of a response to `eth_sendRawTransaction`. Nodes have the same cases with different texts. */
export interface SendOutcome {
  readonly kind: "accepted" | "nonce-used" | "underpriced" | "refused";
  /** The node's text; null if it accepted the transaction. */
  readonly reason: string | null;
}

export const ACCEPTED: SendOutcome = { kind: "accepted", reason: null };

/** Nethermind's texts begin with the name of its result in one word. */
const ALREADY_KNOWN =
  /already ?known|known transaction|already imported|already (exists )?in (the )?(mem)?pool|ALREADY_EXISTS|existing tx with same hash|transaction already exists/i;
const NONCE_USED = /nonce too low|nonce is too low|old ?nonce|invalid nonce|nonce .*already been used/i;
const UNDERPRICED =
  /underpriced|less than (the )?(block|current) base ?fee|too low for the next block|fee ?too ?low|below (the )?(configured )?(minimum|base fee)|max fee per gas less|could not replace existing tx|ReplacementNotAllowed/i;
const REASON_MAX = 200;

/** Null when the error is not a JSON-RPC error of the node. */
export function classifySendError(error: unknown): SendOutcome | null {
  const rpcError = findRpcError(error);
  if (rpcError === null) return null;
  const text = `${rpcError.details} ${rpcError.message}`;
  if (ALREADY_KNOWN.test(text)) return ACCEPTED;
  // viem's message contains the node's URL; its details are the node's text only.
  const reason = (rpcError.details || `JSON-RPC error ${rpcError.code}`).slice(0, REASON_MAX);
  if (NONCE_USED.test(text)) return { kind: "nonce-used", reason };
  if (UNDERPRICED.test(text)) return { kind: "underpriced", reason };
  return { kind: "refused", reason };
}
