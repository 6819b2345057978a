import { findRpcError } from "../rpc.ts";

/** What a node's answer to `eth_sendRawTransaction` means; nodes agree on the cases, not on the words. */
export type SendOutcome = "accepted" | "nonce-used" | "underpriced" | "refused";

const KNOWN = /already known|known transaction|already imported|already in (the )?(mem)?pool|ALREADY_EXISTS/i;
const NONCE_USED = /nonce too low|nonce is too low|old nonce|invalid nonce|nonce .*already been used/i;
const UNDERPRICED =
  /underpriced|less than block base fee|too low for the next block|fee too low|below (the )?(minimum|base fee)|max fee per gas less/i;

/** Null where the error is no answer of the node at all. */
export function classifySendError(error: unknown): SendOutcome | null {
  const answer = findRpcError(error);
  if (answer === null) return null;
  const words = `${answer.details} ${answer.message}`;
  if (KNOWN.test(words)) return "accepted";
  if (NONCE_USED.test(words)) return "nonce-used";
  if (UNDERPRICED.test(words)) return "underpriced";
  return "refused";
}
