import { randomBytes } from "node:crypto";
import { makeCall } from "../domain/calls.ts";
import { ArcadeError } from "../domain/errors.ts";
import { makeOrder, NATIVE_COIN, type Sorting, type UnfillableReason, VISIBLE_MAX } from "../domain/market.ts";
import type {
  Address,
  ChainReader,
  Clock,
  Hex,
  ListingRow,
  ListingStore,
  MarketReader,
  PageQuery,
  Worker,
} from "../ports.ts";
import type { Catalog } from "./catalog.ts";
import { makeFillability } from "./market-fillability.ts";
import { makeListings } from "./market-listings.ts";

interface MarketPorts {
  readonly store: ListingStore;
  readonly chain: ChainReader;
  readonly market: MarketReader;
  readonly catalog: Pick<Catalog, "resolveSlug">;
  readonly worker: Pick<Worker, "recoverDigest">;
  readonly clock: Clock;
}

export type Market = ReturnType<typeof makeMarket>;

/** A draft that was not signed for so long is forgotten when its seller makes another. */
const DRAFT_KEPT_MS = 86_400_000;

type Refusal = UnfillableReason | "NO_MARKET" | "ROYALTY_TOO_HIGH" | "TOO_MANY_VISIBLE" | "HIDDEN_BY_OPERATOR";

const invalid = (message: string, reasons: readonly Refusal[]): ArcadeError =>
  new ArcadeError("LISTING_INVALID", message, { reason: reasons[0], reasons });

const badField = (path: string, message: string): ArcadeError =>
  new ArcadeError("VALIDATION_FAILED", `${path}: ${message}.`, { issues: [{ path, message }] });

/** Listings for Seaport: made here, signed and settled by the wallets themselves. */
export function makeMarket({ store, chain, market, catalog, worker, clock }: MarketPorts) {
  const { chainId, identity, nft, token } = chain.deployment;
  const fillability = makeFillability({ chain, market, worker, clock });
  const listings = makeListings({ store, fillability, clock });

  /** Throws `GAME_NOT_FOUND` for a collection that is neither the identities nor a game's NFTs. */
  function collectionOf(name: string): { readonly collection: string; readonly contract: Address } {
    if (name === "identity") return { collection: name, contract: identity };
    const slug = catalog.resolveSlug(name);
    return { collection: slug, contract: nft[slug]! };
  }

  function seaport(): Address {
    if (market.address === null)
      throw invalid("There is no Seaport on this chain, so nothing can be listed.", ["NO_MARKET"]);
    return market.address;
  }

  function checkCurrency(currency: Address): Address {
    if (currency === NATIVE_COIN || currency === token) return currency;
    throw badField("currency", `expected the zero address (the chain's own coin) or the reward token ${token}`);
  }

  async function ownListing(seller: Address, listingId: Hex): Promise<ListingRow> {
    const row = await store.find(listingId);
    if (row === null || row.seller !== seller)
      throw new ArcadeError("NOT_FOUND", `There is no listing ${listingId} of ${seller}.`);
    return row;
  }

  /** The first publication needs the seller's signature, the later ones have it. */
  async function checkSignature(row: ListingRow, signature: Hex | null): Promise<void> {
    if (row.signature !== null) return;
    if (signature === null)
      throw badField("signature", "expected the seller's signature of typedData: this is the first publication");
    if (await market.isSigned(row.order, signature)) return;
    throw new ArcadeError(
      "SIGNATURE_INVALID",
      `Expected ${row.seller}'s signature of the listing's typedData; Seaport does not take this one.`,
    );
  }

  return {
    /** Makes the order that sells one token, for its owner to sign. */
    async prepare(request: {
      readonly seller: Address;
      readonly collection: string;
      readonly tokenId: string;
      readonly price: string;
      readonly currency: Address;
      readonly durationSeconds: number;
    }) {
      const { seller } = request;
      const { collection, contract } = collectionOf(request.collection);
      const currency = checkCurrency(request.currency);
      const operator = seaport();
      const [tokenId, price] = [BigInt(request.tokenId), BigInt(request.price)];
      const [facts, head] = await Promise.all([
        market.saleFacts({ contract, tokenId, seller, price }),
        fillability.head(),
      ]);
      if (facts.owner !== seller) {
        const held = facts.owner === null ? "it does not exist" : `${facts.owner} does`;
        throw invalid(`Expected ${seller} to own token ${tokenId} of ${contract}; ${held}.`, ["NOT_OWNER"]);
      }
      if (facts.royalty !== null && facts.royalty.amount >= price)
        throw invalid(`Of a price of ${price} nothing is left after the royalty; ask for more.`, ["ROYALTY_TOO_HIGH"]);

      const endTime = fillability.secondsAt(head) + request.durationSeconds;
      const order = makeOrder({
        seller,
        contract,
        tokenId,
        price,
        currency,
        royalty: facts.royalty,
        counter: facts.counter,
        salt: BigInt(`0x${randomBytes(32).toString("hex")}`),
        startTime: head.timestamp,
        endTime,
      });
      const listingId = market.hashOf(order);
      const nowMs = clock.nowMs();
      await store.add(
        {
          listingId,
          seller,
          collection,
          contract,
          tokenId,
          price,
          currency,
          order,
          createdAtMs: nowMs,
          endsAtMs: endTime * 1000,
        },
        nowMs - DRAFT_KEPT_MS,
      );
      // For the whole collection: many clients of Seaport look at nothing else.
      const approval = facts.isApproved ? null : makeCall(chainId, contract, "setApprovalForAll", [operator, true]);
      return { listingId, order, typedData: market.typedDataOf(order), approval };
    },

    /** Publishes a listing that can be bought, or hides it. */
    async setVisible(request: {
      readonly seller: Address;
      readonly listingId: Hex;
      readonly visible: boolean;
      readonly signature: Hex | null;
    }) {
      const { seller, listingId, visible, signature } = request;
      const row = await ownListing(seller, listingId);
      if (!visible) {
        await store.hide(listingId);
        return { listingId, visible };
      }
      const reasons = (await fillability.reasonsOf([row])).get(listingId)!;
      if (reasons.length > 0)
        throw invalid(`Listing ${listingId} cannot be bought as things stand (${reasons.join(", ")}).`, reasons);
      await checkSignature(row, signature);
      const outcome = await store.show(listingId, signature, clock.nowMs(), VISIBLE_MAX);
      if (outcome === "full")
        throw invalid(`At most ${VISIBLE_MAX} listings of a wallet are visible at a time; hide one first.`, [
          "TOO_MANY_VISIBLE",
        ]);
      if (outcome === "moderated")
        throw invalid(`Listing ${listingId} was taken from view by the operator; ask there.`, ["HIDDEN_BY_OPERATOR"]);
      if (outcome === "unknown")
        throw new ArcadeError("NOT_FOUND", `Listing ${listingId} was forgotten; prepare it again.`);
      return { listingId, visible };
    },

    mine: listings.mine,

    open: (
      query: PageQuery & {
        readonly collection: string | null;
        readonly seller: Address | null;
        readonly sorting: Sorting;
      },
    ) =>
      listings.open({
        ...query,
        collection: query.collection === null ? null : collectionOf(query.collection).collection,
      }),
  };
}
