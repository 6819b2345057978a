import { expect } from "chai";
import type { Listing } from "../../client/api.ts";
import { createOrder, LISTING_TIMES, NATIVE_COIN, type Order } from "../../domain/market.ts";
import { listForSale } from "../../web/account/sell.ts";
import { type AgreedSale, checkCurrency, checkOrder, checkOrderToSign } from "../../web/market/check-order.ts";
import type { Account } from "../../web/wallet/account.ts";
import { importAsPage } from "./support/import-as-page.ts";

const SELLER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const THIEF = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const COLLECTION = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const ROYALTY = { receiver: "0x90F79bf6EB2c4f870365E785982E1f101E93b906", amount: 25n } as const;
const SALE: AgreedSale = { seller: SELLER, contract: COLLECTION, tokenId: 7n, price: 1_000n, currency: NATIVE_COIN };
const CHOSEN = { royalty: ROYALTY, counter: 0n, salt: 5n, startTime: 1_800_000_000, endTime: 1_800_600_000 };

const order = createOrder({ ...SALE, ...CHOSEN });
const [offered] = order.offer;
const [payment, royalty] = order.consideration;

describe("an order that the page signs or fills", () => {
  it("is the agreed sale, with or without a royalty, whatever the spelling of its addresses", () => {
    const lower = COLLECTION.toLowerCase() as `0x${string}`;
    for (const agreed of [
      order,
      createOrder({ ...SALE, ...CHOSEN, royalty: null }),
      { ...order, offer: [{ ...offered!, token: lower }] },
    ])
      expect(() => checkOrder(agreed, SALE)).to.not.throw();
  });

  const altered: { readonly [what: string]: Order } = {
    "another seller": { ...order, offerer: THIEF },
    "another token": { ...order, offer: [{ ...offered!, identifierOrCriteria: "8" }] },
    "a token of another collection": { ...order, offer: [{ ...offered!, token: THIEF }] },
    "one more token": { ...order, offer: [offered!, { ...offered!, identifierOrCriteria: "8" }] },
    "a lower price": { ...order, consideration: [{ ...payment!, startAmount: "1", endAmount: "1" }, royalty!] },
    "a price that falls": { ...order, consideration: [{ ...payment!, endAmount: "1" }, royalty!] },
    "not in the currency shown": { ...order, consideration: [{ ...payment!, itemType: 1, token: THIEF }, royalty!] },
    "a payment to another wallet": { ...order, consideration: [{ ...payment!, recipient: THIEF }, royalty!] },
    "one more payment": { ...order, consideration: [payment!, royalty!, { ...payment!, recipient: THIEF }] },
    "a royalty of a half": createOrder({ ...SALE, ...CHOSEN, royalty: { ...ROYALTY, amount: 500n } }),
    "a royalty of more than 10 %": createOrder({ ...SALE, ...CHOSEN, royalty: { ...ROYALTY, amount: 101n } }),
    "a zone": { ...order, zone: THIEF },
    "a conduit": { ...order, conduitKey: `0x${"12".repeat(32)}` },
    "another type": { ...order, orderType: 1 },
    "a salt that is no number": { ...order, salt: "salt" },
    "an end that is no number": { ...order, endTime: "NaN" },
    "no payments": { ...order, consideration: undefined as unknown as Order["consideration"] },
  };
  for (const [what, other] of Object.entries(altered))
    it(`is rejected with ${what}`, () => {
      expect(() => checkOrder(other, SALE))
        .to.throw(/nothing was signed or sent/)
        .with.property("code", "CALL_REFUSED");
    });

  it("is signed only if it ends within the longest listing's time, whenever it starts", () => {
    const now = CHOSEN.startTime;
    const createUntil = (endTime: number, startTime = now) => createOrder({ ...SALE, ...CHOSEN, startTime, endTime });
    const latest = now + LISTING_TIMES.maxSeconds;
    checkOrderToSign(createUntil(latest), SALE, now);
    for (const tooLong of [createUntil(latest + 1), createUntil(latest + 2, latest + 1)])
      expect(() => checkOrderToSign(tooLong, SALE, now))
        .to.throw(/lasts longer than any listing/)
        .with.property("code", "CALL_REFUSED");
    expect(() => checkOrderToSign(altered["another seller"]!, SALE, now)).to.throw(/is not the sale/);
  });

  it("is paid only in ether or in the token, which are the currencies that the page shows", () => {
    const token = COLLECTION;
    checkCurrency(NATIVE_COIN, token);
    checkCurrency(token.toLowerCase() as `0x${string}`, token);
    expect(() => checkCurrency(THIEF, token))
      .to.throw(/not in the currency shown/)
      .with.property("code", "CALL_REFUSED");
  });

  /** An account that can check an order, but cannot read the chain, sign or send. */
  const createAccount = (prepared: Order | null = null): Account => {
    const client = { market: { listingPayload: async () => ({ listingId: "0x", order: prepared, approval: null }) } };
    const chain = { chainId: 31337, market: THIEF, token: COLLECTION, contracts: { identity: COLLECTION, nft: {} } };
    return { address: SELLER, chain, client } as unknown as Account;
  };

  it("is not bought in a currency other than shown, or listed for longer than allowed", async () => {
    const { buyListing } = await importAsPage(() => import("../../web/market/seaport.ts"));
    const priced = createOrder({ ...SALE, ...CHOSEN, currency: THIEF });
    const terms = { seller: SELLER, collection: "identity", tokenId: "7", price: "1000", currency: THIEF };
    const listing = { ...terms, order: priced, signature: "0x12" } as unknown as Listing;
    const bought = await buyListing(createAccount(), listing).catch((error: unknown) => error);
    expect(String(bought)).to.include("not in the currency shown");
    const endless = createOrder({ ...SALE, ...CHOSEN, endTime: 2 ** 40 });
    const token = { collection: "identity", contract: COLLECTION, tokenId: "7" } as Parameters<typeof listForSale>[1];
    const listed = await listForSale(createAccount(endless), token, SALE.price).catch((error: unknown) => error);
    expect(String(listed)).to.include("lasts longer");
  });
});
