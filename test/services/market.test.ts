import { expect } from "chai";
import type { OrderFacts } from "../../backend/domain/market.ts";
import type { Address, ChainReader, Hex, ListingRow, ListingStore, MarketReader } from "../../backend/ports.ts";
import { makeMarket } from "../../backend/services/market.ts";
import { makeFillability } from "../../backend/services/market-fillability.ts";
import { makeListings } from "../../backend/services/market-listings.ts";
import { newListing } from "../adapters/store/rows.ts";
import { describeStore, rejectionOf } from "../adapters/store/suite.ts";
import { TestClock } from "../helpers/test-clock.ts";

const MINUTE_MS = 60_000;
const SIGNATURE: Hex = "0x1234";

/** A chain of the test's making: its head, and what it says of the orders. */
function makeChain() {
  const chain = {
    head: { number: 1, hash: "0x01" as Hex, timestamp: 0 },
    facts: new Map<Hex, Partial<OrderFacts>>(),
    heads: 0,
    asked: [] as Hex[][],
    fault: null as Error | null,
    isWordKept: true,
  };
  const mine = (): void => {
    const number = chain.head.number + 1;
    chain.head = { number, hash: `0x${number}`, timestamp: chain.head.timestamp + 1 };
  };
  const orderFacts: MarketReader["orderFacts"] = async (orders) => {
    chain.asked.push(orders.map(({ listingId }) => listingId));
    if (chain.fault !== null) throw chain.fault;
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
  const seaport = { digestOf: (listingId: Hex) => listingId, isSigned: async () => chain.isWordKept };
  const worker = { recoverDigest: async () => null };
  return Object.assign(chain, { mine, ports: { chain: { head }, market: { orderFacts, ...seaport }, worker } });
}

describeStore("the market's reads", (subject) => {
  function open() {
    const clock = new TestClock();
    const chain = makeChain();
    const fillability = makeFillability({ ...chain.ports, clock });
    const { listings: store } = subject().store;
    const listings = makeListings({ store, fillability, clock });
    const publish = async (): Promise<Hex> => {
      const nowMs = clock.nowMs();
      const draft = newListing({ createdAtMs: nowMs, endsAtMs: nowMs + 100 * MINUTE_MS });
      const endTime = String(draft.endsAtMs / 1000);
      await store.add({ ...draft, order: { ...draft.order, endTime } }, 0);
      await store.show(draft.listingId, SIGNATURE, nowMs, 100);
      return draft.listingId;
    };
    const ids = async (): Promise<Hex[]> => {
      const query = { collection: null, seller: null, sorting: "recent", page: 1, limit: 100 } as const;
      return (await listings.open(query)).items.map(({ listingId }) => listingId);
    };
    return { clock, chain, store, publish, ids };
  }

  it("ask about an order once a block, and share a question of the same moment", async () => {
    const { chain, publish, ids } = open();
    const first = await publish();
    await Promise.all([ids(), ids(), ids()]);
    expect(chain.asked).to.deep.equal([[first]]);
    const second = await publish();
    expect(await ids()).to.have.members([first, second]);
    expect(chain.asked).to.deep.equal([[first], [second]]);
    chain.mine();
    await ids();
    expect(chain.asked[2]).to.have.members([first, second]);
    const before = chain.heads;
    await Promise.all([ids(), ids()]);
    expect(chain.heads - before).to.be.within(1, 2);
  });

  it("see what a new block changed, and keep no failure", async () => {
    const { chain, publish, ids } = open();
    const listingId = await publish();
    expect(await ids()).to.deep.equal([listingId]);
    chain.facts.set(listingId, { isApproved: false });
    chain.mine();
    expect(await ids()).to.deep.equal([]);
    chain.facts.clear();
    chain.mine();
    chain.fault = new Error("away");
    expect((await rejectionOf(ids())).message).to.equal("away");
    chain.fault = null;
    expect(await ids()).to.deep.equal([listingId]);
  });

  it("ask contract wallets for their word again with each block", async () => {
    const { chain, publish, ids } = open();
    const listingId = await publish();
    expect(await ids()).to.deep.equal([listingId]);
    chain.isWordKept = false;
    expect(await ids(), "nothing changes between two blocks").to.deep.equal([listingId]);
    chain.mine();
    expect(await ids()).to.deep.equal([]);
    chain.isWordKept = true;
    chain.mine();
    expect(await ids()).to.deep.equal([listingId]);
  });

  it("forget the dead after ten minutes, unless they come back before", async () => {
    const { clock, chain, store, publish, ids } = open();
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
    const before = chain.asked.length;
    await ids();
    expect(chain.asked.length, "nobody asks about it any more").to.equal(before);
  });
});

describe("a market that cannot sell", () => {
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

  /** Services with just the parts that these refusals need. */
  function open(market: Partial<MarketReader>, store: Partial<ListingStore> = {}) {
    const deployment = { chainId: 1, identity: CONTRACT, token: CONTRACT, nft: {} };
    const chain = { deployment, head: async () => ({ number: 1, hash: "0x01", timestamp: 1 }) };
    return makeMarket({
      store: store as ListingStore,
      chain: chain as unknown as ChainReader,
      market: market as MarketReader,
      catalog: { resolveSlug: (text) => text },
      worker: { recoverDigest: async () => SELLER },
      clock: new TestClock(),
    });
  }

  it("says so where there is no Seaport", async () => {
    const error = await rejectionOf(open({ address: null }).prepare(request));
    expect(error).to.deep.include({ code: "LISTING_INVALID", fields: { reason: "NO_MARKET", reasons: ["NO_MARKET"] } });
  });

  it("leaves the seller something of the price", async () => {
    const royalty = { receiver: CONTRACT, amount: 10n };
    const saleFacts = async () => ({ owner: SELLER, isApproved: true, counter: 0n, royalty });
    const error = await rejectionOf(open({ address: CONTRACT, saleFacts }).prepare(request));
    expect(error).to.deep.include({ fields: { reason: "ROYALTY_TOO_HIGH", reasons: ["ROYALTY_TOO_HIGH"] } });
  });

  it("shows so many listings of a wallet and no more, and none that was forgotten", async () => {
    const draft = newListing({ seller: SELLER });
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
      open(
        { address: CONTRACT, orderFacts: async () => [facts], digestOf: (id) => id, isSigned: async () => true },
        { find: async () => row, show: async () => outcome },
      ).setVisible({ seller: SELLER, listingId: row.listingId, visible: true, signature: SIGNATURE });
    expect(await rejectionOf(show("full"))).to.deep.include({
      code: "LISTING_INVALID",
      fields: { reason: "TOO_MANY_VISIBLE", reasons: ["TOO_MANY_VISIBLE"] },
    });
    expect((await rejectionOf(show("unknown"))).code).to.equal("NOT_FOUND");
  });
});
