import { BaseError, decodeErrorResult, type Hex } from "viem";
import { errorsAbi } from "./abi.ts";
import { findRevert } from "./rpc.ts";

const isHex = (value: unknown): value is Hex => typeof value === "string" && /^0x([0-9a-f]{2})*$/i.test(value);

/** The data a revert carries, wherever the node put it. */
function findData(error: BaseError): Hex | null {
  let data: Hex | null = null;
  error.walk((cause) => {
    const found = (cause as { readonly data?: unknown }).data;
    const inner = (found as { readonly data?: unknown } | null | undefined)?.data;
    if (isHex(found)) data = found;
    else if (isHex(inner)) data = inner;
    return data !== null;
  });
  return data;
}

/** What a contract said when it reverted, as `Name(arg, …)`; null where the error is no revert. */
export function describeRevert(error: unknown): { readonly name: string; readonly text: string } | null {
  if (findRevert(error) === null || !(error instanceof BaseError)) return null;
  const data = findData(error);
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: errorsAbi, data: data! });
    return { name: errorName, text: `${errorName}(${args.map(String).join(", ")})` };
  } catch {
    // An error that is not ours, or none at all.
    return {
      name: "Reverted",
      text: data === null || data === "0x" ? "a revert without a reason" : `the error ${data}`,
    };
  }
}
