import { expect } from "chai";
import { createOrder, NATIVE_COIN, type Order } from "../../backend/domain/market.ts";
import { type AgreedSale, checkOrder } from "../../web/market/check-order.ts";

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
    checkOrder(order, SALE);
    checkOrder(createOrder({ ...SALE, ...CHOSEN, royalty: null }), SALE);
    const lower = COLLECTION.toLowerCase() as `0x${string}`;
    checkOrder({ ...order, offer: [{ ...offered!, token: lower }] }, SALE);
  });

  const altered: { readonly [what: string]: Order } = {
    "another seller": { ...order, offerer: THIEF },
    "another token": { ...order, offer: [{ ...offered!, identifierOrCriteria: "8" }] },
    "a token of another collection": { ...order, offer: [{ ...offered!, token: THIEF }] },
    "one more token": { ...order, offer: [offered!, { ...offered!, identifierOrCriteria: "8" }] },
    "a lower price": { ...order, consideration: [{ ...payment!, startAmount: "1", endAmount: "1" }, royalty!] },
    "a price that falls": { ...order, consideration: [{ ...payment!, endAmount: "1" }, royalty!] },
    "another currency": { ...order, consideration: [{ ...payment!, itemType: 1, token: THIEF }, royalty!] },
    "a payment to somebody else": { ...order, consideration: [{ ...payment!, recipient: THIEF }, royalty!] },
    "one more payment": { ...order, consideration: [payment!, royalty!, { ...payment!, recipient: THIEF }] },
    "a royalty of a half": createOrder({ ...SALE, ...CHOSEN, royalty: { ...ROYALTY, amount: 500n } }),
    "a zone": { ...order, zone: THIEF },
    "a conduit": { ...order, conduitKey: `0x${"12".repeat(32)}` },
    "another type": { ...order, orderType: 1 },
  };
  for (const [what, other] of Object.entries(altered))
    it(`is refused with ${what}`, () => {
      expect(() => checkOrder(other, SALE)).to.throw(/nothing was signed or sent/);
    });
});
