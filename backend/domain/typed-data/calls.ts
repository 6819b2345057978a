/** The contract functions that clients are handed calls for. A test compares every signature with the compiled ABIs. */
import {
  type Abi,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  parseAbi,
  prepareEncodeFunctionData,
} from "viem";

export const CALLS = parseAbi([
  "struct Item { bytes32 gameSessionHash; bytes32 gameId; uint256 score; }",
  "function mintIdentityWithSignature(address to, bytes32 metadataDigest, uint256 deadline, bytes signature) returns (uint256 agentId)",
  "function mintIdentityFor(address to, bytes32 metadataDigest, uint256 deadline, bytes signature, bytes consent) returns (uint256 agentId)",
  "function setAgentURI(uint256 agentId, string newURI)",
  "function mintSigned(address wallet, uint256 agentId, uint256 score, uint256 deadline, bytes signature)",
  "function upgradeSigned(address wallet, uint256 agentId, uint256 score, uint256 deadline, bytes signature)",
  "function snapshotScoreSigned(address wallet, bytes32 gameId, uint256 score, bytes32 gameSessionHash, uint256 deadline, bytes signature)",
  "function snapshotScoresSigned(address wallet, Item[] items, uint256 deadline, bytes signature)",
  "function payout(address wallet)",
  "function setApprovalForAll(address operator, bool approved)",
]);

export type CallName = Extract<(typeof CALLS)[number], { type: "function" }>["name"];

export interface Call {
  readonly chainId: number;
  readonly to: `0x${string}`;
  readonly value: "0";
  readonly functionName: CallName;
  /** Numbers as decimal strings, tuples as objects. */
  readonly args: readonly unknown[];
  readonly data: `0x${string}`;
}

type Prepared = Pick<EncodeFunctionDataParameters, "abi" | "functionName">;

/** Each function with its selector, whose hash takes longer than the encoding of its arguments. */
const prepared = new Map<CallName, Prepared>();

function prepareFunction(functionName: CallName): Prepared {
  const known = prepared.get(functionName);
  if (known !== undefined) return known;
  const made = prepareEncodeFunctionData({ abi: CALLS as Abi, functionName }) as Prepared;
  prepared.set(functionName, made);
  return made;
}

/** A call ready to send from any wallet library. Integer arguments may be decimal strings; they are encoded as numbers. */
export function createCall(chainId: number, to: `0x${string}`, functionName: CallName, args: readonly unknown[]): Call {
  const data = encodeFunctionData({ ...prepareFunction(functionName), args: toArguments(functionName, args) });
  return { chainId, to, value: "0", functionName, args, data };
}

interface Parameter {
  readonly type: string;
  readonly name?: string | undefined;
  readonly components?: readonly Parameter[];
}

const isInteger = (parameter: Parameter): boolean => /^uint\d*$/.test(parameter.type);

function toArgument(parameter: Parameter, value: unknown): unknown {
  if (isInteger(parameter)) return BigInt(value as string);
  if (parameter.type === "tuple[]")
    return (value as unknown[]).map((item) => toArgument({ ...parameter, type: "tuple" }, item));
  if (parameter.type !== "tuple") return value;
  const fields = value as { readonly [name: string]: unknown };
  return Object.fromEntries(
    (parameter.components ?? []).map((part) => [part.name, toArgument(part, fields[part.name!])]),
  );
}

function toArguments(functionName: CallName, args: readonly unknown[]): unknown[] {
  const entry = CALLS.find((item) => item.type === "function" && item.name === functionName);
  const inputs: readonly Parameter[] = entry?.type === "function" ? entry.inputs : [];
  return args.map((value, index) => toArgument(inputs[index]!, value));
}
