import { expect } from "chai";
import { makeOrder, NATIVE_COIN, type OrderFacts, reasonsAgainst, sortListings } from "../../backend/domain/market.ts";

const SELLER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const OTHER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const terms = {
  seller: SELLER,
  contract: OTHER,
  tokenId: 5n,
  price: 1_000n,
  currency: NATIVE_COIN,
  royalty: null,
  counter: 3n,
  salt: 9n,
  startTime: 100,
  endTime: 200,
} as const;

const paid = (royalty: { readonly receiver: `0x${string}`; readonly amount: bigint } | null) =>
  makeOrder({ ...terms, royalty }).consideration.map(({ recipient, startAmount, endAmount }) => {
    expect(endAmount).to.equal(startAmount);
    return [recipient, startAmount];
  });

describe("an order's payments", () => {
  it("take the royalty out of the price", () => {
    expect(paid({ receiver: OTHER, amount: 25n })).to.deep.equal([
      [SELLER, "975"],
      [OTHER, "25"],
    ]);
  });

  it("are one where there is no royalty, or it is the seller's own", () => {
    for (const royalty of [null, { receiver: OTHER, amount: 0n }, { receiver: SELLER, amount: 25n }] as const)
      expect(paid(royalty)).to.deep.equal([[SELLER, "1000"]]);
  });
});

describe("reasons against a listing", () => {
  const sound: OrderFacts = { owner: SELLER, isApproved: true, counter: 3n, isCancelled: false, isFilled: false };
  const against = (change: Partial<OrderFacts>, nowSeconds = 199) =>
    reasonsAgainst(makeOrder(terms), { ...sound, ...change }, nowSeconds);

  it("are none where all is well, up to its last second", () => {
    expect(against({})).to.deep.equal([]);
    expect(against({}, 200)).to.deep.equal(["EXPIRED"]);
  });

  it("are one each, and all that hold", () => {
    expect(against({ owner: OTHER })).to.deep.equal(["NOT_OWNER"]);
    expect(against({ owner: null, isApproved: false })).to.deep.equal(["NOT_OWNER"]);
    expect(against({ isApproved: false })).to.deep.equal(["NOT_APPROVED"]);
    expect(against({ counter: 4n })).to.deep.equal(["COUNTER_CHANGED"]);
    expect(against({ isCancelled: true })).to.deep.equal(["CANCELLED"]);
    expect(reasonsAgainst(makeOrder(terms), sound, 199, false)).to.deep.equal(["SIGNATURE_REFUSED"]);
    expect(against({ isFilled: true, owner: OTHER }, 300)).to.deep.equal(["NOT_OWNER", "FILLED", "EXPIRED"]);
  });
});

describe("sorting listings", () => {
  it("breaks ties by the newest, then by id", () => {
    const row = (listingId: `0x${string}`, publishedAtMs: number) => ({
      listingId,
      currency: NATIVE_COIN,
      price: 10n ** 20n,
      endsAtMs: 1,
      publishedAtMs,
    });
    const rows = [row("0x3", 1), row("0x2", 2), row("0x1", 2)];
    for (const sorting of ["recent", "price", "priceDesc", "endsAt"] as const)
      expect(sortListings(rows, sorting).map(({ listingId }) => listingId)).to.deep.equal(["0x1", "0x2", "0x3"]);
  });
});
