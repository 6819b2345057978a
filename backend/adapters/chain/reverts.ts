import { decodeRevert, findRevertData, type Revert } from "../../../domain/reverts.ts";
import { findRevert } from "./rpc-errors.ts";

/** A revert as `Name(arg, …)`; null when the error is not a revert. */
export function describeRevert(error: unknown): Revert | null {
  if (findRevert(error) === null) return null;
  const data = findRevertData(error);
  if (data === null || data === "0x") return { name: "Reverted", text: "a revert without a reason" };
  return decodeRevert(data) ?? { name: "Reverted", text: `the error ${data}` };
}
