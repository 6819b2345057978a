import { expect } from "chai";
import { createOrder, findUnfillableReasons, NATIVE_COIN, type OrderState } from "../../domain/market.ts";

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
  createOrder({ ...terms, royalty }).consideration.map(({ recipient, startAmount, endAmount }) => {
    expect(endAmount).to.equal(startAmount);
    return [recipient, startAmount];
  });

describe("the payments of an order", () => {
  it("are the price less the royalty, and the royalty", () => {
    expect(paid({ receiver: OTHER, amount: 25n })).to.deep.equal([
      [SELLER, "975"],
      [OTHER, "25"],
    ]);
  });

  it("are only the price if there is no royalty, or the seller receives it", () => {
    for (const royalty of [null, { receiver: OTHER, amount: 0n }, { receiver: SELLER, amount: 25n }] as const)
      expect(paid(royalty)).to.deep.equal([[SELLER, "1000"]]);
  });
});

describe("the reasons why a listing cannot be bought", () => {
  const validOrder: OrderState = { owner: SELLER, isApproved: true, counter: 3n, isCancelled: false, isFilled: false };
  const against = (change: Partial<OrderState>, nowSeconds = 199) =>
    findUnfillableReasons(createOrder(terms), { ...validOrder, ...change }, nowSeconds);

  it("are empty until the last second of a valid listing", () => {
    expect(against({})).to.deep.equal([]);
    expect(against({}, 200)).to.deep.equal(["EXPIRED"]);
  });

  it("are all that apply, one for each fact", () => {
    expect(against({ owner: OTHER })).to.deep.equal(["NOT_OWNER"]);
    expect(against({ owner: null, isApproved: false })).to.deep.equal(["NOT_OWNER"]);
    expect(against({ isApproved: false })).to.deep.equal(["NOT_APPROVED"]);
    expect(against({ counter: 4n })).to.deep.equal(["COUNTER_CHANGED"]);
    expect(against({ isCancelled: true })).to.deep.equal(["CANCELLED"]);
    expect(findUnfillableReasons(createOrder(terms), validOrder, 199, false)).to.deep.equal(["SIGNATURE_REFUSED"]);
    expect(against({ isFilled: true, owner: OTHER }, 300)).to.deep.equal(["NOT_OWNER", "FILLED", "EXPIRED"]);
  });
});
