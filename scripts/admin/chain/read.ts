/** Reads the contracts' views for the chain commands. */

import type { PublicClient } from "viem";
import type { NamedContract } from "../../../deploy/admin/calls.ts";
import { toIso as toIsoOfMs } from "../../../domain/time.ts";

/** A view's answer, typed by the caller; several values come as an array. */
export const readView = async <T>(
  { client }: { readonly client: PublicClient },
  { address, abi }: NamedContract,
  functionName: string,
  args: readonly unknown[] = [],
): Promise<T> => (await client.readContract({ address, abi, functionName, args })) as T;

/** Unix seconds as ISO 8601. */
export const toIso = (seconds: bigint | number): string => toIsoOfMs(Number(seconds) * 1000);
