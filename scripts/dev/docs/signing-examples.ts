/** One worked example of every typed message, with values that a reader can recompute. */

import { secp256k1 } from "@noble/curves/secp256k1.js";
import type { Hex } from "viem";
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
import { developmentAccount } from "../../../backend/config/dev-keys.ts";
import {
  createTypedData,
  encodeMessageType,
  type PrimaryType,
  TYPED_MESSAGES,
  type TypedData,
} from "../../../domain/typed-data/messages.ts";

const CHAIN_ID = 84_532;
const repeatByte = (byte: string, bytes: number): Hex => `0x${byte.repeat(bytes)}`;

/** These contracts do not exist: the addresses only distinguish the domains. */
const DOMAIN_CONTEXTS: { readonly [kind: string]: { readonly verifyingContract?: Hex; readonly slug?: string } } = {
  identity: { verifyingContract: repeatByte("11", 20) },
  gameNft: { verifyingContract: repeatByte("22", 20), slug: "flappybots" },
  rewards: { verifyingContract: repeatByte("33", 20) },
  voting: {},
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

/** The first development account. Its key is public: rejected on public chains. */
export const getExampleSigner = (): { readonly address: Hex; readonly privateKey: Hex } => developmentAccount(0);

/** A deterministic signature (RFC 6979) with the smaller s (EIP-2). */
export function sign(digest: Hex, privateKey: Hex): Hex {
  const options = { prehash: false, lowS: true, format: "recovered" } as const;
  const [recovery = 0, ...rs] = secp256k1.sign(hexToBytes(digest), hexToBytes(privateKey), options);
  return concat([bytesToHex(Uint8Array.from(rs)), numberToHex(27 + recovery)]);
}

export function listSigningExamples(): readonly SigningExample[] {
  const { privateKey } = getExampleSigner();
  return (Object.keys(TYPED_MESSAGES) as PrimaryType[]).map((type) => {
    const context = { chainId: CHAIN_ID, ...DOMAIN_CONTEXTS[TYPED_MESSAGES[type].domain] };
    const data = createTypedData(type, context, TYPED_MESSAGES[type].example);
    // viem's types require literals; the table has the same as data.
    const typed = data as unknown as Parameters<typeof hashTypedData>[0];
    const { EIP712Domain, ...types } = data.types;
    const digest = hashTypedData(typed);
    return {
      type,
      data,
      typeString: encodeMessageType(type),
      typeHash: keccak256(stringToHex(encodeMessageType(type))),
      domainSeparator: hashDomain({ domain: data.domain as never, types: { EIP712Domain } as never }),
      structHash: hashStruct({ data: data.message as never, primaryType: type as never, types: types as never }),
      digest,
      signature: sign(digest, privateKey),
    };
  });
}
