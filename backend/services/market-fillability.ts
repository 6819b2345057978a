import { isDead, type OrderFacts, reasonsAgainst, type UnfillableReason } from "../domain/market.ts";
import type { ChainReader, Clock, Head, Hex, ListingRow, MarketReader, Worker } from "../ports.ts";
import { makeSignatures } from "./market-signatures.ts";

interface FillabilityPorts {
  readonly chain: Pick<ChainReader, "head">;
  readonly market: Pick<MarketReader, "orderFacts" | "digestOf" | "isSigned">;
  readonly worker: Pick<Worker, "recoverDigest">;
  readonly clock: Clock;
}

export type Reasons = ReadonlyMap<Hex, readonly UnfillableReason[]>;

export type Fillability = ReturnType<typeof makeFillability>;

/** Orders whose facts are kept for a block; with more, the block is asked anew. */
const KEPT_MAX = 10_000;

/**
 * Tells why orders cannot be bought, as of the chain's head. Facts are kept as long as the head stays: nothing changes
 * between two blocks but the time.
 */
export function makeFillability({ chain, market, worker, clock }: FillabilityPorts) {
  const signatures = makeSignatures({ market, worker });
  let known: { readonly hash: Hex; readonly facts: Map<Hex, Promise<OrderFacts>> } | null = null;
  let asking: Promise<Head> | null = null;

  /** Requests of the same moment share one question. */
  function head(): Promise<Head> {
    asking ??= chain.head().finally(() => {
      asking = null;
    });
    return asking;
  }

  function factsAt(at: Head, listings: readonly ListingRow[]): readonly Promise<OrderFacts>[] {
    if (known === null || known.hash !== at.hash || known.facts.size > KEPT_MAX)
      known = { hash: at.hash, facts: new Map() };
    const { facts } = known;
    const missing = listings.filter(({ listingId }) => !facts.has(listingId));
    if (missing.length > 0) {
      const answers = market.orderFacts(missing, at.number);
      missing.forEach(({ listingId }, index) => {
        const one = answers.then((all) => all[index]!);
        // A failure is not kept.
        one.catch(() => facts.delete(listingId));
        facts.set(listingId, one);
      });
    }
    return listings.map(({ listingId }) => facts.get(listingId)!);
  }

  /** The chain's time where it runs ahead, the clock's where blocks are mined on demand: unix seconds. */
  const secondsAt = (at: Head): number => Math.max(at.timestamp, Math.floor(clock.nowMs() / 1000));

  return {
    head,
    secondsAt,
    async reasonsOf(listings: readonly ListingRow[]): Promise<Reasons> {
      if (listings.length === 0) return new Map();
      const at = await head();
      const facts = await Promise.all(factsAt(at, listings));
      const entries = listings.map(async (listing, index): Promise<[Hex, readonly UnfillableReason[]]> => {
        const { listingId, order } = listing;
        const reasons = reasonsAgainst(order, facts[index]!, secondsAt(at));
        // Seaport judges signatures by the order as it stands: of what is over already it would say nothing useful.
        if (isDead(reasons) || (await signatures.counts(listing, at))) return [listingId, reasons];
        return [listingId, reasonsAgainst(order, facts[index]!, secondsAt(at), false)];
      });
      return new Map(await Promise.all(entries));
    },
  };
}
