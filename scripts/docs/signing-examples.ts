/** One worked example of every typed message, with figures that anybody can compute again. */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import {
  bytesToHex,
  concat,
  hashDomain,
  hashStruct,
  hashTypedData,
  hexToBytes,
  keccak256,
  numberToHex,
  stringToHex,
} from "viem";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import {
  makeTypedData,
  type PrimaryType,
  TYPED_MESSAGES,
  type TypedData,
  typeString,
} from "../../backend/domain/typed-data.ts";

type Hex = `0x${string}`;

const CHAIN_ID = 84_532;
const repeat = (byte: string, bytes: number): Hex => `0x${byte.repeat(bytes)}`;
const WALLET: Hex = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const DEADLINE = "1800000000";
const gameId = (slug: string): Hex => stringToHex(slug, { size: 32 });

/** The contracts of the examples do not exist: their addresses show which domain is whose. */
const PLACES: { readonly [kind: string]: { readonly verifyingContract?: Hex; readonly slug?: string } } = {
  identity: { verifyingContract: repeat("11", 20) },
  gameNft: { verifyingContract: repeat("22", 20), slug: "flappybots" },
  rewards: { verifyingContract: repeat("33", 20) },
  voting: {},
};

const gameNft = { wallet: WALLET, agentId: "7", score: "1200", deadline: DEADLINE };
const MESSAGES: { readonly [Type in PrimaryType]: TypedData["message"] } = {
  MintIdentity: { to: WALLET, metadataDigest: repeat("ab", 32), nonce: "0", deadline: DEADLINE },
  AgentWalletSet: { agentId: "7", newWallet: WALLET, owner: repeat("44", 20), deadline: DEADLINE },
  MintGameNft: gameNft,
  UpgradeGameNft: { ...gameNft, score: "5400" },
  Snapshot: {
    wallet: WALLET,
    gameId: gameId("flappybots"),
    score: "1200",
    gameSessionHash: `0x${"cd".repeat(24)}${"0".repeat(15)}1`,
    deadline: DEADLINE,
  },
  SnapshotBatch: {
    wallet: WALLET,
    items: [
      { gameSessionHash: `0x${"cd".repeat(24)}${"0".repeat(15)}2`, gameId: gameId("flappybots"), score: "800" },
      { gameSessionHash: `0x${"cd".repeat(24)}${"0".repeat(15)}3`, gameId: gameId("shellrunners"), score: "95" },
    ],
    deadline: DEADLINE,
  },
  Vote: { walletAddress: WALLET, gameSlug: "flappybots", voteSource: "ai_agent", nonce: "5f1d7a84", cycleId: "1" },
};

export interface SigningExample {
  readonly type: PrimaryType;
  readonly data: TypedData;
  readonly typeString: string;
  readonly typeHash: Hex;
  readonly domainSeparator: Hex;
  readonly structHash: Hex;
  readonly digest: Hex;
  /** 65 bytes: r, s, v. */
  readonly signature: Hex;
}

/** The first development account, whose key everybody knows: good for examples, refused on public chains. */
export const exampleSigner = (): { readonly address: Hex; readonly privateKey: Hex } => developmentAccount(0);

/** A deterministic signature (RFC 6979) with the smaller s (EIP-2). */
function sign(digest: Hex, privateKey: Hex): Hex {
  const options = { prehash: false, lowS: true, format: "recovered" } as const;
  const [recovery = 0, ...rs] = secp256k1.sign(hexToBytes(digest), hexToBytes(privateKey), options);
  return concat([bytesToHex(Uint8Array.from(rs)), numberToHex(27 + recovery)]);
}

export function listSigningExamples(): readonly SigningExample[] {
  const { privateKey } = exampleSigner();
  return (Object.keys(TYPED_MESSAGES) as PrimaryType[]).map((type) => {
    const place = { chainId: CHAIN_ID, ...PLACES[TYPED_MESSAGES[type].domain] };
    const data = makeTypedData(type, place, MESSAGES[type]);
    // viem's types want literals; the table holds the same as data.
    const typed = data as unknown as Parameters<typeof hashTypedData>[0];
    const { EIP712Domain, ...types } = data.types;
    const digest = hashTypedData(typed);
    return {
      type,
      data,
      typeString: typeString(type),
      typeHash: keccak256(stringToHex(typeString(type))),
      domainSeparator: hashDomain({ domain: data.domain as never, types: { EIP712Domain } as never }),
      structHash: hashStruct({ data: data.message as never, primaryType: type as never, types: types as never }),
      digest,
      signature: sign(digest, privateKey),
    };
  });
}
