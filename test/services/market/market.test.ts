import { expect } from "chai";
import type { Address, Hex } from "viem";
import type { ChainReader } from "../../../backend/ports/chain.ts";
import type { MarketReader } from "../../../backend/ports/market-reader.ts";
import type { ListingRow, ListingStore } from "../../../backend/ports/store/market.ts";
import { Fillability } from "../../../backend/services/market/fillability.ts";
import { Listings } from "../../../backend/services/market/listings.ts";
import { Market } from "../../../backend/services/market/market.ts";
import type { OrderState } from "../../../domain/market.ts";
import { ALICE, BOB, createListing } from "../../adapters/store/rows.ts";
import { describeStore, getRejection } from "../../adapters/store/suite.ts";
import { TestClock } from "../../helpers/test-clock.ts";

const MINUTE_MS = 60_000;
const SIGNATURE: Hex = "0x1234";

/** A chain that the test controls: its head, and the state of the orders. */
function createFakeChain() {
  const chain = {
    head: { number: 1, hash: "0x01" as Hex, timestamp: 0 },
    facts: new Map<Hex, Partial<OrderState>>(),
    heads: 0,
    orderQueries: [] as Hex[][],
    error: null as Error | null,
    isSignatureValid: true,
  };
  const mineBlock = (): void => {
    const number = chain.head.number + 1;
    chain.head = { number, hash: `0x${number}`, timestamp: chain.head.timestamp + 1 };
  };
  const orderFacts: MarketReader["getOrderStates"] = async (orders) => {
    chain.orderQueries.push(orders.map(({ listingId }) => listingId));
    if (chain.error !== null) throw chain.error;
    return orders.map(({ listingId, order }) => ({
      owner: order.offerer,
      isApproved: true,
      counter: 0n,
      isCancelled: false,
      isFilled: false,
      ...chain.facts.get(listingId),
    }));
  };
  const head = async () => {
    chain.heads += 1;
    return chain.head;
  };
  const seaport = {
    toDigest: (listingId: Hex) => listingId,
    isValidOrderSignature: async () => chain.isSignatureValid,
  };
  const worker = { recoverDigest: async () => null };
  return Object.assign(chain, {
    mine: mineBlock,
    ports: { chain: { getHead: head }, market: { getOrderStates: orderFacts, ...seaport }, worker },
  });
}

describeStore("the market's list of open listings", (stores) => {
  function createMarketFixture() {
    const clock = new TestClock();
    const chain = createFakeChain();
    const fillability = new Fillability({ ...chain.ports, clock });
    const store = stores.listings;
    const listings = new Listings({ store, catalog: { resolveSlug: (slug) => slug }, fillability, clock });
    const publish = async (): Promise<Hex> => {
      const nowMs = clock.nowMs();
      const draft = createListing({ createdAtMs: nowMs, endsAtMs: nowMs + 100 * MINUTE_MS });
      const endTime = String(draft.endsAtMs / 1000);
      await store.add({ ...draft, order: { ...draft.order, endTime } }, 0);
      await store.show(draft.listingId, SIGNATURE, nowMs, 100);
      return draft.listingId;
    };
    const ids = async (): Promise<Hex[]> => {
      const query = { collection: null, seller: null, sorting: "recent", page: 1, limit: 100 } as const;
      return (await listings.listOpen(query)).items.map(({ listingId }) => listingId);
    };
    return { clock, chain, store, listings, publish, ids };
  }

  it("reads an order's state once per block, and shares the reads of simultaneous requests", async () => {
    const { chain, publish, ids } = createMarketFixture();
    const first = await publish();
    await Promise.all([ids(), ids(), ids()]);
    expect(chain.orderQueries).to.deep.equal([[first]]);
    const second = await publish();
    expect(await ids()).to.have.members([first, second]);
    expect(chain.orderQueries).to.deep.equal([[first], [second]]);
    chain.mine();
    await ids();
    expect(chain.orderQueries[2]).to.have.members([first, second]);
    const before = chain.heads;
    await Promise.all([ids(), ids()]);
    expect(chain.heads - before).to.be.within(1, 2);
  });

  it("shows a listing however many others were published after it", async () => {
    const { chain, store, clock, listings, publish } = createMarketFixture();
    const honest = await publish();
    const nowMs = clock.nowMs();
    const publishLater = async (_: unknown, index: number): Promise<void> => {
      const seller = index % 2 === 0 ? ALICE : BOB;
      const draft = createListing({ seller, price: 999_000n, createdAtMs: nowMs, endsAtMs: nowMs + 100 * MINUTE_MS });
      const endTime = String(draft.endsAtMs / 1000);
      await store.add({ ...draft, order: { ...draft.order, endTime } }, 0);
      await store.show(draft.listingId, SIGNATURE, nowMs + index, 1000);
    };
    await Promise.all(Array.from({ length: 520 }, publishLater));
    const query = { collection: null, seller: null, sorting: "price", page: 1, limit: 25 } as const;
    const { items, total } = await listings.listOpen(query);
    expect(items[0]!.listingId).to.equal(honest);
    expect(total).to.equal(521);
    expect((await listings.listOpen({ ...query, page: 21 })).items).to.have.length(21);

    for (const facts of [{ isApproved: false }, {}]) {
      chain.facts.set(honest, facts);
      // Every listing is checked within two blocks.
      for (let block = 0; block < 2; block += 1) {
        chain.mine();
        await listings.listOpen({ ...query, sorting: "recent" });
      }
      expect((await listings.listOpen(query)).total).to.equal("isApproved" in facts ? 520 : 521);
    }
  });

  it("shows a new block's changes, and caches no failure", async () => {
    const { chain, publish, ids } = createMarketFixture();
    const listingId = await publish();
    expect(await ids()).to.deep.equal([listingId]);
    chain.facts.set(listingId, { isApproved: false });
    chain.mine();
    expect(await ids()).to.deep.equal([]);
    chain.facts.clear();
    chain.mine();
    chain.error = new Error("away");
    expect((await getRejection(ids())).message).to.equal("away");
    chain.error = null;
    expect(await ids()).to.deep.equal([listingId]);
  });

  it("validates the signatures of contract wallets again in each block", async () => {
    const { chain, publish, ids } = createMarketFixture();
    const listingId = await publish();
    expect(await ids()).to.deep.equal([listingId]);
    chain.isSignatureValid = false;
    expect(await ids(), "nothing changes between two blocks").to.deep.equal([listingId]);
    chain.mine();
    expect(await ids()).to.deep.equal([]);
    chain.isSignatureValid = true;
    chain.mine();
    expect(await ids()).to.deep.equal([listingId]);
  });

  it("stops checking dead listings after ten minutes, unless they become valid again", async () => {
    const { clock, chain, store, publish, ids } = createMarketFixture();
    const listingId = await publish();
    const deadSince = async () => (await store.find(listingId))?.deadSinceMs;
    chain.facts.set(listingId, { isFilled: true });
    expect(await ids()).to.deep.equal([]);
    expect(await deadSince()).to.equal(clock.nowMs());
    clock.advance(9 * MINUTE_MS);
    chain.facts.clear();
    chain.mine();
    expect(await ids(), "its block was reorganized away").to.deep.equal([listingId]);
    expect(await deadSince()).to.equal(null);
    chain.facts.set(listingId, { isCancelled: true });
    chain.mine();
    await ids();
    clock.advance(11 * MINUTE_MS);
    chain.mine();
    const before = chain.orderQueries.length;
    await ids();
    expect(chain.orderQueries.length, "the dead listing is not checked any more").to.equal(before);
  });
});

describe("the market", () => {
  const SELLER: Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  const CONTRACT: Address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
  const request = {
    seller: SELLER,
    collection: "identity",
    tokenId: "1",
    price: "10",
    currency: "0x0000000000000000000000000000000000000000",
    durationSeconds: 60,
  } as const;

  /** A market with only the ports for these rejections. */
  function createMarketFixture(market: Partial<MarketReader>, store: Partial<ListingStore> = {}) {
    const deployment = { chainId: 1, identity: CONTRACT, token: CONTRACT, nft: {} };
    const chain = { deployment, getHead: async () => ({ number: 1, hash: "0x01", timestamp: 1 }) };
    const ports = {
      store: store as ListingStore,
      chain: chain as unknown as ChainReader,
      market: market as MarketReader,
      catalog: { resolveSlug: (text: string) => text },
      worker: { recoverDigest: async () => SELLER },
      clock: new TestClock(),
    };
    return new Market({ ...ports, fillability: new Fillability(ports) });
  }

  it("rejects listings on a chain without Seaport", async () => {
    const error = await getRejection(createMarketFixture({ address: null }).prepare(request));
    expect(error).to.deep.include({ code: "LISTING_INVALID", fields: { reason: "NO_MARKET", reasons: ["NO_MARKET"] } });
  });

  it("rejects a price whose royalty leaves nothing to the seller", async () => {
    const royalty = { receiver: CONTRACT, amount: 10n };
    const saleFacts = async () => ({ owner: SELLER, isApproved: true, counter: 0n, royalty });
    const error = await getRejection(
      createMarketFixture({ address: CONTRACT, getSaleState: saleFacts }).prepare(request),
    );
    expect(error).to.deep.include({ fields: { reason: "ROYALTY_TOO_HIGH", reasons: ["ROYALTY_TOO_HIGH"] } });
  });

  it("rejects publications beyond a wallet's limit, and those of deleted drafts", async () => {
    const draft = createListing({ seller: SELLER });
    const order = { ...draft.order, endTime: String(2 ** 40) };
    const row: ListingRow = {
      ...draft,
      order,
      signature: null,
      visible: false,
      publishedAtMs: null,
      deadSinceMs: null,
    };
    const facts = { owner: SELLER, isApproved: true, counter: 0n, isCancelled: false, isFilled: false };
    const show = (outcome: "full" | "unknown") =>
      createMarketFixture(
        {
          address: CONTRACT,
          getOrderStates: async () => [facts],
          toDigest: (id) => id,
          isValidOrderSignature: async () => true,
        },
        { find: async () => row, show: async () => outcome },
      ).setVisible({ seller: SELLER, listingId: row.listingId, visible: true, signature: SIGNATURE });
    expect(await getRejection(show("full"))).to.deep.include({
      code: "LISTING_INVALID",
      fields: { reason: "TOO_MANY_VISIBLE", reasons: ["TOO_MANY_VISIBLE"] },
    });
    expect((await getRejection(show("unknown"))).code).to.equal("NOT_FOUND");
  });
});
