import type { Head, Hex, ListingRow, MarketReader, Worker } from "../ports.ts";

interface SignaturePorts {
  readonly market: Pick<MarketReader, "digestOf" | "isSigned">;
  readonly worker: Pick<Worker, "recoverDigest">;
}

type Signed = Pick<ListingRow, "listingId" | "seller" | "order" | "signature">;

/** Listings whose answers are kept; with more, all are found out anew. */
const KEPT_MAX = 10_000;

/**
 * Whether published signatures still count. What a key has signed stays signed, whatever code its address gets: Seaport
 * recovers first. A contract wallet (ERC-1271) may change its mind, so Seaport is asked again with each block.
 */
export function makeSignatures({ market, worker }: SignaturePorts) {
  const byKey = new Map<Hex, Promise<boolean>>();
  let known: { readonly hash: Hex; readonly answers: Map<Hex, Promise<boolean>> } | null = null;

  /** The kept answer, or a new one; a failure is not kept. */
  function keep(answers: Map<Hex, Promise<boolean>>, listingId: Hex, ask: () => Promise<boolean>): Promise<boolean> {
    if (answers.size > KEPT_MAX) answers.clear();
    const kept = answers.get(listingId);
    if (kept !== undefined) return kept;
    const answer = ask();
    answers.set(listingId, answer);
    answer.catch(() => answers.delete(listingId));
    return answer;
  }

  const isByKey = ({ listingId, seller }: Signed, signature: Hex): Promise<boolean> =>
    keep(byKey, listingId, async () => (await worker.recoverDigest(market.digestOf(listingId), signature)) === seller);

  return {
    /** False where a contract wallet takes its word back, or takes too long to give it. */
    async counts(listing: Signed, at: Head): Promise<boolean> {
      const { listingId, order, signature } = listing;
      if (signature === null || (await isByKey(listing, signature))) return true;
      if (known?.hash !== at.hash) known = { hash: at.hash, answers: new Map() };
      return keep(known.answers, listingId, () => market.isSigned(order, signature)).catch(() => false);
    },
  };
}
