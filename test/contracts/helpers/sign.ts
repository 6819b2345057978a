import type { TypedDataField } from "ethers";
import { createTypedData, type PrimaryType, TYPED_MESSAGES } from "../../../domain/typed-data/messages.ts";
import { type AnySigner, type Arcade, nowSeconds, SLUG } from "./arcade.ts";

type Message = { readonly [field: string]: unknown };

/** How far ahead the deadlines of these tests lie. */
const TTL_SECONDS = 300n;

export const addressFor = (arcade: Arcade, primaryType: PrimaryType): `0x${string}` => {
  const kind = TYPED_MESSAGES[primaryType].domain;
  const { identity, nft, rewards } = arcade.addresses;
  return (kind === "identity" ? identity : kind === "gameNft" ? nft : rewards) as `0x${string}`;
};

/** Signs a row of the service's table of messages, for the contract that checks it. */
export async function signMessage(
  arcade: Arcade,
  signer: AnySigner,
  primaryType: PrimaryType,
  message: Message,
  place: { readonly chainId?: number; readonly verifyingContract?: string; readonly slug?: string } = {},
): Promise<string> {
  const { domain, types } = createTypedData(
    primaryType,
    {
      chainId: place.chainId ?? arcade.chainId,
      verifyingContract: (place.verifyingContract ?? addressFor(arcade, primaryType)) as `0x${string}`,
      slug: place.slug ?? SLUG,
    },
    message,
  );
  const { EIP712Domain: _, ...own } = types;
  return signer.signTypedData(domain, own as unknown as Record<string, TypedDataField[]>, message);
}

export const soon = async (arcade: Arcade): Promise<bigint> => (await nowSeconds(arcade)) + TTL_SECONDS;
