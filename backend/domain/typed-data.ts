/**
 * The only table of EIP-712 types (https://eips.ethereum.org/EIPS/eip-712). Signers, tests, documents and the
 * explain tool read it; a test compares every row with the type hash and the ERC-5267 domain of the deployed contract.
 */

export interface TypedField {
  readonly name: string;
  readonly type: string;
}

export interface TypedDataDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  /** Absent for ballots, which no contract checks. */
  readonly verifyingContract?: `0x${string}`;
}

export const DOMAIN_VERSION = "1";

/** Which contract checks a message; decides domain name, verifying contract and signing duty. */
export type TypedDataDomainKind = "identity" | "gameNft" | "rewards" | "voting";

export const DOMAIN_NAMES = {
  identity: () => "AgentIdentity",
  gameNft: (slug: string) => `GameNFT:${slug}`,
  rewards: () => "RewardsV2",
  voting: () => "AgentArcadeVoting",
} as const satisfies Record<TypedDataDomainKind, (slug: string) => string>;

const fields = (text: string): readonly TypedField[] =>
  text.split(",").map((field) => {
    const [type, name] = field.split(" ");
    if (type === undefined || name === undefined) throw new Error(`typed field without a name: ${field}`);
    return { name, type };
  });

interface TypedMessage {
  readonly domain: TypedDataDomainKind;
  readonly types: { readonly [name: string]: readonly TypedField[] };
  /** The view of the contract that returns `keccak256(typeString)`; null where no contract knows the message. */
  readonly typeHashView: string | null;
}

export const TYPED_MESSAGES = {
  MintIdentity: {
    domain: "identity",
    types: { MintIdentity: fields("address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline") },
    typeHashView: "MINT_IDENTITY_TYPEHASH",
  },
  AgentWalletSet: {
    domain: "identity",
    types: { AgentWalletSet: fields("uint256 agentId,address newWallet,address owner,uint256 deadline") },
    typeHashView: "AGENT_WALLET_SET_TYPEHASH",
  },
  MintGameNft: {
    domain: "gameNft",
    types: { MintGameNft: fields("address wallet,uint256 agentId,uint256 score,uint256 deadline") },
    typeHashView: "MINT_GAME_NFT_TYPEHASH",
  },
  UpgradeGameNft: {
    domain: "gameNft",
    types: { UpgradeGameNft: fields("address wallet,uint256 agentId,uint256 score,uint256 deadline") },
    typeHashView: "UPGRADE_GAME_NFT_TYPEHASH",
  },
  Snapshot: {
    domain: "rewards",
    types: {
      Snapshot: fields("address wallet,bytes32 gameId,uint256 score,bytes32 gameSessionHash,uint256 deadline"),
    },
    typeHashView: "SNAPSHOT_TYPEHASH",
  },
  SnapshotBatch: {
    domain: "rewards",
    types: {
      SnapshotBatch: fields("address wallet,Item[] items,uint256 deadline"),
      Item: fields("bytes32 gameSessionHash,bytes32 gameId,uint256 score"),
    },
    typeHashView: "SNAPSHOT_BATCH_TYPEHASH",
  },
  Vote: {
    domain: "voting",
    types: { Vote: fields("address walletAddress,string gameSlug,string voteSource,string nonce,uint256 cycleId") },
    typeHashView: null,
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

const WITHOUT_CONTRACT = fields("string name,string version,uint256 chainId");
const WITH_CONTRACT = [...WITHOUT_CONTRACT, ...fields("address verifyingContract")];

/** The `EIP712Domain` type of a domain, with exactly the fields that are present (EIP-712, "Definition of domainSeparator"). */
export const domainFields = (domain: TypedDataDomain): readonly TypedField[] =>
  domain.verifyingContract === undefined ? WITHOUT_CONTRACT : WITH_CONTRACT;

/** The canonical type string of a message: the primary type first, then what it refers to, sorted (EIP-712 "encodeType"). */
export function typeString(primaryType: PrimaryType): string {
  const types: { readonly [name: string]: readonly TypedField[] } = TYPED_MESSAGES[primaryType].types;
  const rest = Object.keys(types)
    .filter((name) => name !== primaryType)
    .sort();
  return [primaryType, ...rest]
    .map((name) => `${name}(${types[name]!.map((field) => `${field.type} ${field.name}`).join(",")})`)
    .join("");
}

/** Assembles a payload from the table. `message` values: decimal strings for numbers, `0x` hex for bytes and addresses. */
export function makeTypedData(
  primaryType: PrimaryType,
  place: { readonly chainId: number; readonly verifyingContract?: `0x${string}`; readonly slug?: string },
  message: TypedData["message"],
): TypedData {
  const { domain: kind, types } = TYPED_MESSAGES[primaryType];
  const domain: TypedDataDomain = {
    name: DOMAIN_NAMES[kind](place.slug ?? ""),
    version: DOMAIN_VERSION,
    chainId: place.chainId,
    ...(place.verifyingContract === undefined ? {} : { verifyingContract: place.verifyingContract }),
  };
  return { domain, types: { EIP712Domain: domainFields(domain), ...types }, primaryType, message };
}
