/**
 * The only table of EIP-712 types (https://eips.ethereum.org/EIPS/eip-712). Signers, tests, documents and the explain
 * tool read it; a test compares every row with the type hash and the ERC-5267 domain of the deployed contract.
 */

import { stringToHex } from "viem";

export interface TypedField {
  readonly name: string;
  readonly type: string;
}

export interface TypedDataDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  /** Absent for ballots and transcripts, which no contract checks. */
  readonly verifyingContract?: `0x${string}`;
}

export const DOMAIN_VERSION = "1";

/** The contract that checks a message; decides domain name, verifying contract and signer role. */
export type TypedDataDomainKind = "identity" | "gameNft" | "rewards" | "voting" | "replay";

export const DOMAIN_NAMES = {
  identity: () => "AgentIdentity",
  gameNft: (slug: string) => `GameNFT:${slug}`,
  rewards: () => "RewardsV2",
  voting: () => "AgentArcadeVoting",
  replay: () => "AgentArcadeReplay",
} as const satisfies Record<TypedDataDomainKind, (slug: string) => string>;

const parseFields = (text: string): readonly TypedField[] =>
  text.split(",").map((field) => {
    const [type, name] = field.split(" ");
    if (type === undefined || name === undefined) throw new Error(`typed field without a name: ${field}`);
    return { name, type };
  });

interface TypedMessage {
  readonly domain: TypedDataDomainKind;
  /** What the message is for and who signs it, for the documents. */
  readonly purpose: string;
  readonly types: { readonly [name: string]: readonly TypedField[] };
  /** The view of the contract that returns `keccak256(typeString)`; null if no contract has such a view. */
  readonly typeHashView: string | null;
  /** A message for the documents and tests. */
  readonly example: { readonly [field: string]: unknown };
}

const repeatByte = (byte: string, count: number): `0x${string}` => `0x${byte.repeat(count)}`;
const toSessionHash = (sequence: number): `0x${string}` => `0x${"cd".repeat(24)}${String(sequence).padStart(16, "0")}`;
const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const DEADLINE = "1800000000";
const FLAPPYBOTS = stringToHex("flappybots", { size: 32 });
const SHELLRUNNERS = stringToHex("shellrunners", { size: 32 });

export const TYPED_MESSAGES = {
  MintIdentity: {
    domain: "identity",
    purpose: "The service lets a wallet mint its identity. Signed by the identity key; sent by the wallet `to` itself.",
    types: { MintIdentity: parseFields("address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline") },
    typeHashView: "MINT_IDENTITY_TYPEHASH",
    example: { to: WALLET, metadataDigest: repeatByte("ab", 32), nonce: "0", deadline: DEADLINE },
  },
  ConsentToMint: {
    domain: "identity",
    purpose:
      "A wallet agrees to its mint, with the nonce and deadline of `MintIdentity`, so that anyone may submit it (`mintIdentityFor`). Signed by the wallet `to`.",
    types: { ConsentToMint: parseFields("address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline") },
    typeHashView: "CONSENT_TO_MINT_TYPEHASH",
    example: { to: WALLET, metadataDigest: repeatByte("ab", 32), nonce: "0", deadline: DEADLINE },
  },
  AgentWalletSet: {
    domain: "identity",
    purpose:
      "A wallet agrees to act for an agent (ERC-8004). Signed by `newWallet`; the deadline is at most 5 minutes ahead.",
    types: { AgentWalletSet: parseFields("uint256 agentId,address newWallet,address owner,uint256 deadline") },
    typeHashView: "AGENT_WALLET_SET_TYPEHASH",
    example: { agentId: "7", newWallet: WALLET, owner: repeatByte("44", 20), deadline: DEADLINE },
  },
  MintGameNft: {
    domain: "gameNft",
    purpose: "The service grants a game's NFT. Signed by that game's NFT key; anyone may send it.",
    types: { MintGameNft: parseFields("address wallet,uint256 agentId,uint256 score,uint256 deadline") },
    typeHashView: "MINT_GAME_NFT_TYPEHASH",
    example: { wallet: WALLET, agentId: "7", score: "1200", deadline: DEADLINE },
  },
  UpgradeGameNft: {
    domain: "gameNft",
    purpose: "The service raises a game's NFT to a higher score. Signed by that game's NFT key.",
    types: { UpgradeGameNft: parseFields("address wallet,uint256 agentId,uint256 score,uint256 deadline") },
    typeHashView: "UPGRADE_GAME_NFT_TYPEHASH",
    example: { wallet: WALLET, agentId: "7", score: "5400", deadline: DEADLINE },
  },
  Snapshot: {
    domain: "rewards",
    purpose:
      "The service credits one ended session. Signed by the score key; anyone may send it, but only `wallet` gets the points.",
    types: {
      Snapshot: parseFields("address wallet,bytes32 gameId,uint256 score,bytes32 gameSessionHash,uint256 deadline"),
    },
    typeHashView: "SNAPSHOT_TYPEHASH",
    example: {
      wallet: WALLET,
      gameId: FLAPPYBOTS,
      score: "1200",
      gameSessionHash: toSessionHash(1),
      deadline: DEADLINE,
    },
  },
  SnapshotBatch: {
    domain: "rewards",
    purpose: "The same for several sessions under one signature.",
    types: {
      SnapshotBatch: parseFields("address wallet,Item[] items,uint256 deadline"),
      Item: parseFields("bytes32 gameSessionHash,bytes32 gameId,uint256 score"),
    },
    typeHashView: "SNAPSHOT_BATCH_TYPEHASH",
    example: {
      wallet: WALLET,
      items: [
        { gameSessionHash: toSessionHash(2), gameId: FLAPPYBOTS, score: "800" },
        { gameSessionHash: toSessionHash(3), gameId: SHELLRUNNERS, score: "95" },
      ],
      deadline: DEADLINE,
    },
  },
  Vote: {
    domain: "voting",
    purpose:
      "A wallet votes for a game. Signed by the wallet; no contract checks it, so the domain has no verifying contract.",
    types: {
      Vote: parseFields("address walletAddress,string gameSlug,string voteSource,string nonce,uint256 cycleId"),
    },
    typeHashView: null,
    example: { walletAddress: WALLET, gameSlug: "flappybots", voteSource: "ai_agent", nonce: "5f1d7a84", cycleId: "1" },
  },
  Transcript: {
    domain: "replay",
    purpose:
      "A wallet vouches for a run; `npm run verify` then reports SIGNED_BY_PLAYER. Signed by the wallet; no contract checks it.",
    types: { Transcript: parseFields("address wallet,string sessionId,bytes32 replayDigest") },
    typeHashView: null,
    example: {
      wallet: WALLET,
      sessionId: "0190f1d5-7c4e-7abc-8def-0123456789ab",
      replayDigest: repeatByte("ab", 32),
    },
  },
} as const satisfies Record<string, TypedMessage>;

export type PrimaryType = keyof typeof TYPED_MESSAGES;

/** A complete `eth_signTypedData_v4` payload whose numbers are decimal strings, so that it survives JSON. */
export interface TypedData {
  readonly domain: TypedDataDomain;
  readonly types: { readonly [name: string]: readonly TypedField[] };
  readonly primaryType: PrimaryType;
  readonly message: { readonly [field: string]: unknown };
}

const DOMAIN_FIELDS = parseFields("string name,string version,uint256 chainId");
const DOMAIN_FIELDS_WITH_CONTRACT = [...DOMAIN_FIELDS, ...parseFields("address verifyingContract")];

/** The `EIP712Domain` type of a domain, with exactly the fields that are present (EIP-712, "Definition of domainSeparator"). */
export const getDomainFields = (domain: TypedDataDomain): readonly TypedField[] =>
  domain.verifyingContract === undefined ? DOMAIN_FIELDS : DOMAIN_FIELDS_WITH_CONTRACT;

/** The canonical type string: the primary type, then the types that it refers to, sorted (EIP-712 "encodeType"). */
export function encodeType(types: { readonly [name: string]: readonly TypedField[] }, primaryType: string): string {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name) || types[name] === undefined) return;
    found.add(name);
    for (const { type } of types[name]) visit(type.replace(/(\[\d*\])+$/, ""));
  };
  visit(primaryType);
  const rest = [...found].filter((name) => name !== primaryType).sort();
  return [primaryType, ...rest]
    .map((name) => `${name}(${(types[name] ?? []).map(({ type, name: field }) => `${type} ${field}`).join(",")})`)
    .join("");
}

/** The canonical type string of a message of the table. */
export const encodeMessageType = (primaryType: PrimaryType): string =>
  encodeType(TYPED_MESSAGES[primaryType].types, primaryType);

/** Assembles a payload from the table. `message` values: decimal strings for numbers, `0x` hex for bytes and addresses. */
export function createTypedData(
  primaryType: PrimaryType,
  context: { readonly chainId: number; readonly verifyingContract?: `0x${string}`; readonly slug?: string },
  message: TypedData["message"],
): TypedData {
  const { domain: kind, types } = TYPED_MESSAGES[primaryType];
  const domain: TypedDataDomain = {
    name: DOMAIN_NAMES[kind](context.slug ?? ""),
    version: DOMAIN_VERSION,
    chainId: context.chainId,
    ...(context.verifyingContract === undefined ? {} : { verifyingContract: context.verifyingContract }),
  };
  return { domain, types: { EIP712Domain: getDomainFields(domain), ...types }, primaryType, message };
}
