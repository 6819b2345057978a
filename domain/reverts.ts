/** The errors of our contracts inside the errors that libraries throw. */
import { decodeErrorResult, type Hex } from "viem";
import { errorsAbi } from "./typed-data/errors-abi.ts";

export interface Revert {
  /** The error's name in Solidity. */
  readonly name: string;
  /** `Name(arg, …)`. */
  readonly text: string;
}

/** Libraries nest an error's causes only a few levels deep; a cycle must not hang the search. */
const DEPTH_MAX = 10;

/** Older versions of Nethermind and of OpenEthereum write `Reverted 0x…`. */
const toData = (value: unknown): Hex | null =>
  typeof value === "string" ? ((/^(?:Reverted )?(0x([0-9a-f]{2})*)$/i.exec(value)?.[1] ?? null) as Hex | null) : null;

/** The revert data inside an error of viem or ethers; null if there is none. Nodes put it into different fields. */
export function findRevertData(error: unknown): Hex | null {
  let found: Hex | null = null;
  let current = error;
  for (let depth = 0; depth < DEPTH_MAX && typeof current === "object" && current !== null; depth++) {
    const { data, info, cause } = current as { data?: unknown; info?: { error?: unknown }; cause?: unknown };
    const inner = (data as { data?: unknown } | null | undefined)?.data;
    found ??= toData(data) ?? toData(inner);
    // ethers keeps the node's own error in `info`.
    current = cause ?? info?.error;
  }
  return found;
}

/** Decodes the data of a revert; null if it is not an error of our contracts. */
export function decodeRevert(data: Hex): Revert | null {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: errorsAbi, data });
    return { name: errorName, text: `${errorName}(${args.map(String).join(", ")})` };
  } catch {
    return null;
  }
}
