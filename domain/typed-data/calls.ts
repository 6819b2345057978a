/** The contract functions for which clients get calls. A test compares every signature with the compiled ABIs. */
import { type Hex, parseAbi, toFunctionSelector } from "viem";
import { encodeArguments, type Parameter } from "./encode-arguments.ts";

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
  "function payoutAtLeast(address wallet, uint256 leastAmount)",
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

interface PreparedFunction {
  /** Its hash takes longer than the encoding of the arguments. */
  readonly selector: Hex;
  readonly inputs: readonly Parameter[];
}

const prepared = new Map<CallName, PreparedFunction>();

function prepareFunction(functionName: CallName): PreparedFunction {
  const known = prepared.get(functionName);
  if (known !== undefined) return known;
  const entry = CALLS.find((item) => item.type === "function" && item.name === functionName);
  if (entry?.type !== "function") throw new Error(`There is no call ${functionName}`);
  const made = { selector: toFunctionSelector(entry), inputs: entry.inputs };
  prepared.set(functionName, made);
  return made;
}

/** A call ready to send from any wallet library. Integer arguments may be decimal strings; they are encoded as numbers. */
export function createCall(chainId: number, to: `0x${string}`, functionName: CallName, args: readonly unknown[]): Call {
  const { selector, inputs } = prepareFunction(functionName);
  return { chainId, to, value: "0", functionName, args, data: `${selector}${encodeArguments(inputs, args)}` };
}
