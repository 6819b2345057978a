/** Files of the Safe's Transaction Builder: written for a Safe or a timelock, read for a timelock. */
import { readFile } from "node:fs/promises";
import { type Address, decodeFunctionData, getAddress, type Hex, isAddress } from "viem";
import { getAbiItem } from "viem/utils";
import { z } from "zod";
import { replacePublicFile } from "../../../backend/adapters/node/replace-file.ts";
import type { AdminCall } from "../../../deploy/admin/calls.ts";
import type { PlainCall } from "../../../deploy/admin/timelock-operations.ts";
import { UsageError } from "../../cli/failures.ts";
import { openOutputFile, resolveUserPath } from "../../cli/user-paths.ts";

export interface SafeFileOptions {
  readonly title: string;
  readonly chainId: number;
  /** Who makes the calls; null if unknown. */
  readonly holder: Address | null;
  readonly description: string;
}

const toText = (value: unknown): string => (Array.isArray(value) ? `[${value.map(toText).join(",")}]` : String(value));

function toTransaction({ contract, data }: AdminCall) {
  const { functionName, args = [] } = decodeFunctionData({ abi: contract.abi, data });
  const method = getAbiItem({ abi: contract.abi, name: functionName, args: args as never });
  if (method?.type !== "function") throw new Error(`${contract.name} has no function ${functionName}`);
  const inputs = method.inputs.map(({ name = "", type, internalType = type }) => ({ internalType, name, type }));
  return {
    to: contract.address,
    value: "0",
    data,
    contractMethod: { inputs, name: functionName, payable: method.stateMutability === "payable" },
    contractInputsValues: Object.fromEntries(inputs.map(({ name }, index) => [name, toText(args[index])])),
  };
}

/** Writes the calls as one batch (https://help.safe.global/en/articles/40841-transaction-builder). Returns its path. */
export async function writeSafeFile(
  file: string,
  calls: readonly AdminCall[],
  { title, chainId, holder, description }: SafeFileOptions,
): Promise<string> {
  const path = openOutputFile("safe", file);
  const batch = {
    version: "1.0",
    chainId: String(chainId),
    createdAt: Date.now(),
    meta: {
      name: title,
      description,
      txBuilderVersion: "1.16.5",
      createdFromSafeAddress: holder ?? "",
      createdFromOwnerAddress: "",
    },
    transactions: calls.map(toTransaction),
  };
  await replacePublicFile(path, `${JSON.stringify(batch, null, 2)}\n`);
  return path;
}

const createAddress = (error: string) =>
  z
    .string({ error })
    .refine((text) => isAddress(text), { error })
    .transform((text) => getAddress(text));
const Batch = z.object({
  version: z.literal("1.0"),
  chainId: z.string(),
  meta: z.object({
    createdFromSafeAddress: createAddress("expected the address of the timelock that makes the calls"),
  }),
  transactions: z
    .array(
      z.object({
        to: createAddress("expected an address: 0x and 40 hex digits, with a correct checksum"),
        value: z.literal("0", { error: 'expected "0": these calls send no ether' }),
        data: z
          .string({ error: "expected the call's data, as --safe writes it" })
          .regex(/^0x([0-9a-fA-F]{2}){4,}$/, "expected a call's data")
          .transform((text) => text as Hex),
      }),
    )
    .min(1)
    .max(100),
});

export interface SafeFile {
  /** Who makes the calls. */
  readonly holder: Address;
  readonly calls: readonly PlainCall[];
}

/** Reads a file that `--safe` wrote. Throws `UsageError` with every fault. */
export async function readSafeFile(file: string, chainId: number): Promise<SafeFile> {
  const path = resolveUserPath(file);
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    throw new UsageError(`FILE: ${path}: ${isMissing ? "file not found" : "it is not JSON"}; --safe writes one`);
  }
  const parsed = Batch.safeParse(json);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path: at, message }) => `${at.join(".") || "the file"}: ${message}`);
    throw new UsageError(`FILE: ${path} is not a file of --safe: ${faults.join("; ")}`);
  }
  const { chainId: named, meta, transactions } = parsed.data;
  if (named !== String(chainId)) throw new UsageError(`FILE: ${path} is for chain ${named}, expected ${chainId}`);
  return { holder: meta.createdFromSafeAddress, calls: transactions.map(({ to, data }) => ({ to, data })) };
}
