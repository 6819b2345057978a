/** Describes typed data and calls as rows of text that the user reads before signing. */
import { type Abi, hexToString, isHex, type PublicClient, trim } from "viem";
import type { Address, Call, Hex, TypedData } from "../../client/api.ts";
import { CALLS } from "../../domain/typed-data/calls.ts";
import { getFieldLabel } from "../../domain/typed-data/field-labels.ts";
import { formatDateTime, shortenHex } from "../labels/shared.ts";
import { getContractName, type SiteChain } from "./chain.ts";

/** The chain's fields that are needed to show names. */
export type NamedContracts = Pick<SiteChain, "contracts" | "token" | "market">;

export interface DetailRow {
  /** The field's name as it is signed. */
  readonly name: string;
  /** The name that the user sees. */
  readonly label: string;
  readonly text: string;
  /** The full value if `text` shortens or explains it; null if it is the same. */
  readonly fullText: string | null;
}

/** A transaction before it is signed. */
export interface TransactionDetails {
  readonly contractName: string | null;
  readonly to: Address;
  readonly functionName: string;
  readonly rows: readonly DetailRow[];
  /** Wei. */
  readonly value: bigint;
  readonly data: Hex;
  /** Units of gas, null if the node cannot estimate it: the transaction would probably fail. */
  readonly gas: bigint | null;
}

/** Larger numbers of seconds are not shown as dates. */
const DATE_MAX_SECONDS = 4_102_444_800;

const isAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/i.test(text);

/** `flappybots` of a game id, which is a slug in 32 bytes; null for any other bytes. */
function decodeGameId(hex: string): string | null {
  if (!isHex(hex) || hex.length !== 66) return null;
  const text = hexToString(trim(hex, { dir: "right" }));
  return /^[a-z0-9-]{1,31}$/.test(text) ? text : null;
}

function formatTime(seconds: string): string | null {
  const count = Number(seconds);
  return Number.isSafeInteger(count) && count > 0 && count < DATE_MAX_SECONDS
    ? formatDateTime(new Date(count * 1000).toISOString())
    : null;
}

const TIME_FIELD = /^(?:deadline|startTime|endTime|\w+At)$/;

function formatValue(chain: NamedContracts, name: string, value: string): string {
  if (TIME_FIELD.test(name)) return formatTime(value) ?? value;
  if (name === "gameId") return decodeGameId(value) ?? value;
  if (isAddress(value)) return getContractName(chain, value as Address) ?? shortenHex(value);
  return value.startsWith("0x") ? shortenHex(value) : value;
}

/** A row for each leaf of a value. Its name includes the path. */
export function describeValue(chain: NamedContracts, name: string, value: unknown, prefix = ""): readonly DetailRow[] {
  if (Array.isArray(value)) {
    const single = value.length === 1;
    return value.flatMap((item, index) => describeValue(chain, single ? name : `${name} ${index + 1}`, item, prefix));
  }
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([field, inner]) => describeValue(chain, field, inner, `${prefix}${name}.`));
  const fullText = String(value);
  const text = formatValue(chain, name, fullText);
  const label = `${prefix === "" ? "" : `${prefix.split(".").slice(0, -1).map(getFieldLabel).join(" · ")} · `}${getFieldLabel(name)}`;
  return [{ name: `${prefix}${name}`, label, text, fullText: text === fullText ? null : fullText }];
}

/** The message's fields in the order of its type. */
export const describeTypedData = (
  chain: NamedContracts,
  { types, primaryType, message }: TypedData,
): readonly DetailRow[] => {
  const fields = types[primaryType] ?? Object.keys(message).map((name) => ({ name }));
  return fields.flatMap(({ name }) => describeValue(chain, name, message[name]));
};

/** The arguments of a call by the names of its ABI; `abi` defaults to that of the prepared calls. */
export function describeArguments(
  chain: NamedContracts,
  { functionName, args }: Pick<Call, "args"> & { readonly functionName: string },
  abi: Abi = CALLS as Abi,
): readonly DetailRow[] {
  const entry = abi.find((item) => item.type === "function" && item.name === functionName);
  const inputs = entry?.type === "function" ? entry.inputs : [];
  return args.flatMap((value, index) => describeValue(chain, inputs[index]?.name ?? `argument ${index + 1}`, value));
}

/** The node's gas estimate for a transaction; null if it fails. */
export const estimateGas = (
  publicClient: PublicClient,
  transaction: { readonly from: Address; readonly to: Address; readonly data: Hex; readonly value: bigint },
): Promise<bigint | null> => {
  const { from: account, ...rest } = transaction;
  return publicClient.estimateGas({ account, ...rest }).catch(() => null);
};
