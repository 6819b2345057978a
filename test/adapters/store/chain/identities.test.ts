import { expect } from "chai";
import { zeroAddress } from "viem";
import { toIdentity } from "../../../../backend/adapters/store/chain/identities.ts";
import { ALICE } from "../rows.ts";

const FILE = `${"ab".repeat(32)}.json`;

describe("an identity from its events", () => {
  const event = (name: string, position: string, change: object = {}) =>
    ({ name, position, wallet: ALICE, uri: null, score: null, tier: null, ...change }) as never;
  const transfer = event("Transfer", "1");
  const registered = (uri: string | null) => event("Registered", "2", { uri });
  const base = (position: string, uri: string | null = "https://new.example/") =>
    event("BaseURISet", position, { uri });
  const getUri = (...events: never[]) => toIdentity([transfer, ...events])?.tokenURI;

  it("exists while it has an owner", () => {
    expect(toIdentity([])).to.equal(null);
    expect(toIdentity([event("Transfer", "1", { wallet: zeroAddress })])).to.equal(null);
    expect(toIdentity([transfer])).to.deep.equal({ owner: ALICE, tokenURI: null });
  });

  it("has a URI that follows later changes of the base URI, if it is derived from it", () => {
    const old = `https://old.example/${FILE}`;
    expect(getUri(registered(old))).to.equal(old);
    expect(getUri(registered(old), base("1"))).to.equal(old);
    expect(getUri(registered(old), base("3"))).to.equal(`https://new.example/${FILE}`);
    expect(getUri(registered(old), base("3", null))).to.equal(FILE);
    expect(getUri(registered("ipfs://other"), base("3"))).to.equal("ipfs://other");
    expect(getUri(event("URIUpdated", "2", { uri: old }), base("3"))).to.equal(old);
    for (const uri of ["", null]) expect(getUri(registered(uri), base("3"))).to.equal(null);
  });
});
