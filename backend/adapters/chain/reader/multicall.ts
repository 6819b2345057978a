import type { MulticallResponse } from "viem";
import { findRevert } from "../rpc-errors.ts";

/** viem would split a multicall by size; with one `eth_call` all values are of the same block. */
export const SINGLE_CALL = { deployless: true, batchSize: 0 } as const;

/** The value of one call in a multicall; null when the contract reverted. Throws every other error. */
export function getCallResult<T>(response: MulticallResponse<T, Error, true>): T | null {
  if (response.status === "success") return response.result;
  if (findRevert(response.error) !== null) return null;
  throw response.error;
}
