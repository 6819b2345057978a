import type { Hex } from "viem";
import type { Head } from "../../ports/chain.ts";
import type { MarketReader } from "../../ports/market-reader.ts";
import type { ListingRow } from "../../ports/store/market.ts";
import type { Worker } from "../../ports/system.ts";

interface SignaturePorts {
  readonly market: Pick<MarketReader, "toDigest" | "isValidOrderSignature">;
  readonly worker: Pick<Worker, "recoverDigest">;
}

type SignedListing = Pick<ListingRow, "listingId" | "seller" | "order" | "signature">;
type Results = Map<Hex, Promise<boolean>>;

/** The cache is emptied when it holds more listings than this. */
const CACHE_MAX = 10_000;

/** The cached result, or a new one; failures are not cached. */
function getOrCompute(results: Results, listingId: Hex, compute: () => Promise<boolean>): Promise<boolean> {
  if (results.size > CACHE_MAX) results.clear();
  const existing = results.get(listingId);
  if (existing !== undefined) return existing;
  const result = compute();
  results.set(listingId, result);
  result.catch(() => results.delete(listingId));
  return result;
}

/**
 * Whether published signatures are still valid. A key's signature stays valid when its address gets code: Seaport
 * recovers first. A contract wallet (ERC-1271) may revoke its own, so Seaport checks it again in each block.
 */
export class ListingSignatures {
  readonly #ports: SignaturePorts;
  readonly #keyResults: Results = new Map();
  #blockResults: { readonly hash: Hex; readonly results: Results } | null = null;

  constructor(ports: SignaturePorts) {
    this.#ports = ports;
  }

  /** False also when a contract wallet takes too long to answer. Drafts, which have no signature, are valid. */
  async isValid(listing: SignedListing, at: Head): Promise<boolean> {
    const { listingId, order, signature } = listing;
    if (signature === null || (await this.#isSignedByKey(listing, signature))) return true;
    if (this.#blockResults?.hash !== at.hash) this.#blockResults = { hash: at.hash, results: new Map() };
    const ask = () => this.#ports.market.isValidOrderSignature(order, signature);
    return getOrCompute(this.#blockResults.results, listingId, ask).catch(() => false);
  }

  #isSignedByKey({ listingId, seller }: SignedListing, signature: Hex): Promise<boolean> {
    const { market, worker } = this.#ports;
    return getOrCompute(this.#keyResults, listingId, async () => {
      const signer = await worker.recoverDigest(market.toDigest(listingId), signature);
      return signer === seller;
    });
  }
}
