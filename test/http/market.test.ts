import { SeaportABI } from "@opensea/seaport-js/lib/abi/Seaport.js";
import { expect } from "chai";
import type { Abi } from "viem";
import type { ErrorCode } from "../../backend/domain/errors.ts";
import { makeAgent, makePlayer } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { cutChain, endWithoutChain } from "./support/cut-chain.ts";
import {
  agentIdOf,
  clientOf,
  marketOf,
  openSeaport,
  PRICE,
  parametersOf,
  sendIfAny,
  signListing,
} from "./support/market.ts";
import { watchRoutes } from "./support/watch-routes.ts";

type Hex = `0x${string}`;

const ROUTES = ["market.listings", "market.listingPayload", "market.visibilitySet", "market.visibilityMy"];
const UNKNOWN = `0x${"ab".repeat(32)}`;

describe("the market", () => {
  let suite: Suite;
  const api = watchRoutes(() => suite);
  const { with_, prepare, setVisible, refuseSet, publish, publishIdentity, listed, idsListed, ownListing } =
    marketOf(api);
  before(async () => {
    suite = await startSuite();
  });
  after(() => endWithoutChain(suite));

  it("hands out an order exactly as Seaport has it", async () => {
    const seller = await makeAgent(suite);
    const tokenId = await agentIdOf(seller);
    const { body } = await prepare(seller, { tokenId, durationSeconds: 3600 });
    const { identity, market } = suite.deployment;
    const { startTime, endTime, salt, ...order } = body.order;
    const item = { identifierOrCriteria: tokenId, startAmount: "1", endAmount: "1" };
    const [zero, zeroHash] = [`0x${"0".repeat(40)}`, `0x${"0".repeat(64)}`];
    const amount = { startAmount: `${PRICE}`, endAmount: `${PRICE}` };
    expect(order).to.deep.equal({
      offerer: seller.address,
      zone: zero,
      offer: [{ itemType: 2, token: identity, ...item }],
      consideration: [{ itemType: 0, token: zero, identifierOrCriteria: "0", ...amount, recipient: seller.address }],
      orderType: 0,
      zoneHash: zeroHash,
      conduitKey: zeroHash,
      counter: "0",
    });
    expect(salt).to.match(/^\d{60,78}$/);
    expect(Number(endTime) - Math.max(Number(startTime), Math.floor(Date.now() / 1000))).to.be.within(3590, 3600);
    expect(body.typedData).to.deep.include({
      domain: { name: "Seaport", version: "1.6", chainId: 31337, verifyingContract: market },
      primaryType: "OrderComponents",
      message: body.order,
    });
    expect(body.approval).to.include({ to: identity, functionName: "setApprovalForAll" });
    expect(body.approval.args).to.deep.equal([market, true]);

    const { seaport, close } = openSeaport(suite, suite.accounts[0]!.privateKey);
    expect(seaport.getOrderHash({ ...parametersOf(body.order), counter: body.order.counter } as never)).to.equal(
      body.listingId,
    );
    const args = [body.order];
    const hash = await clientOf(suite).readContract({
      address: market!,
      abi: SeaportABI as Abi,
      functionName: "getOrderHash",
      args,
    });
    expect(hash).to.equal(body.listingId);
    close();
  });

  it("publishes what is owned, approved and signed; later calls only toggle", async () => {
    const seller = await makeAgent(suite);
    const tokenId = await agentIdOf(seller);
    const prepared = await prepare(seller, { tokenId });
    const { listingId, approval } = prepared.body;
    const signature = await signListing(seller, prepared);
    expect(await ownListing(seller, listingId)).to.include({ visible: false, signature: null });
    const unapproved = await refuseSet(seller, "LISTING_INVALID", { listingId, signature });
    expect(unapproved.body).to.deep.include({ reason: "NOT_APPROVED", reasons: ["NOT_APPROVED"] });
    await sendIfAny(seller, approval);
    expect((await prepare(seller, { tokenId })).body.approval).to.equal(null);

    const missing = await refuseSet(seller, "VALIDATION_FAILED", { listingId });
    expect(missing.body.issues[0].path).to.equal("signature");
    const other = await makeAgent(suite);
    const wrongV = `${signature.slice(0, -2)}${signature.endsWith("1b") ? "00" : "01"}`;
    for (const wrong of [await signListing(other, prepared), wrongV, "0x", "0x1234"])
      await refuseSet(seller, "SIGNATURE_INVALID", { listingId, signature: wrong });
    await refuseSet(seller, "VALIDATION_FAILED", { listingId, signature: `0x${"00".repeat(2049)}` });
    expect(await idsListed()).to.not.include(listingId);

    expect((await setVisible(seller, { listingId, signature })).body).to.include({ listingId, visible: true });
    const entry = (await listed()).listings.find((found: { listingId: Hex }) => found.listingId === listingId);
    expect(entry).to.deep.include({
      collection: "identity",
      contract: suite.deployment.identity,
      tokenId,
      seller: seller.address,
      price: `${PRICE}`,
      visible: true,
      order: prepared.body.order,
      signature,
      reasons: [],
    });
    expect((await setVisible(seller, { listingId, visible: false })).body).to.include({ listingId, visible: false });
    expect(await idsListed()).to.not.include(listingId);
    expect(await ownListing(seller, listingId)).to.deep.include({ visible: false, signature, reasons: [] });
    await setVisible(seller, { listingId });
    expect(await idsListed()).to.include(listingId);
  });

  it("finds listings by collection and seller, sorted and by pages", async () => {
    const seller = await makeAgent(suite);
    const tokenId = await agentIdOf(seller);
    const { token } = suite.deployment;
    const ids: string[] = [];
    for (const body of [
      { price: "3" },
      { price: "1", durationSeconds: 60 },
      { price: "2" },
      { price: "1", currency: token },
    ])
      ids.push((await publish(seller, { tokenId, ...body })).listingId);
    const [three, one, two, tokens] = ids as [string, string, string, string];
    const of = `&seller=${seller.address.toLowerCase()}`;
    expect(await idsListed(of)).to.deep.equal([tokens, two, one, three]);
    expect(await idsListed(`${of}&sortBy=price`)).to.deep.equal([one, two, three, tokens]);
    expect(await idsListed(`${of}&sortBy=priceDesc`)).to.deep.equal([three, two, one, tokens]);
    expect((await idsListed(`${of}&sortBy=endsAt`))[0]).to.equal(one);
    expect(await idsListed(`${of}&collection=identity`)).to.have.length(4);
    expect(await idsListed(`${of}&collection=flappy`)).to.deep.equal([]);
    const page = await api.succeed("market.listings", { query: `?limit=3&page=2${of}` });
    expect(page.body).to.include({ page: 2, limit: 3, total: 4 });
    expect(page.body.items).to.deep.equal(page.body.listings);
    expect(page.body.items.map((entry: { listingId: string }) => entry.listingId)).to.deep.equal([three]);
    await api.refuse("market.listings", "GAME_NOT_FOUND", { query: "?collection=tetris" });
    for (const query of ["?sortBy=luck", "?seller=0x12", "?limit=101"])
      await api.refuse("market.listings", "VALIDATION_FAILED", { query });
    const mine = await api.succeed("market.visibilityMy", await with_(seller, { page: 2, limit: 3 }));
    expect(mine.body).to.include({ page: 2, limit: 3, total: 4 });
  });

  it("answers a repeated request with the same order", async () => {
    const seller = await makeAgent(suite);
    const body = { collection: "identity", tokenId: await agentIdOf(seller), price: "1" };
    const call = { ...(await with_(seller, body)), headers: { "Idempotency-Key": "sell" } };
    const first = await api.succeed("market.listingPayload", call);
    const again = await api.succeed("market.listingPayload", call);
    expect(again.body.listingId).to.equal(first.body.listingId);
    expect((await api.succeed("market.listingPayload", await with_(seller, body))).body.listingId).to.not.equal(
      first.body.listingId,
    );
  });

  it("lists nothing that is not the caller's", async () => {
    const [seller, other] = [await makeAgent(suite), await makeAgent(suite)];
    const { listingId } = await publish(seller, { tokenId: await agentIdOf(seller) });
    for (const id of [listingId, UNKNOWN]) {
      await refuseSet(other, "NOT_FOUND", { listingId: id });
      await refuseSet(other, "NOT_FOUND", { listingId: id, visible: false });
    }
    expect(await idsListed()).to.include(listingId);
    const identity = { collection: "identity", price: "1" };
    for (const tokenId of [await agentIdOf(seller), "999999", `${2n ** 256n - 1n}`]) {
      const request = await with_(other, { ...identity, tokenId });
      expect((await api.refuse("market.listingPayload", "LISTING_INVALID", request)).body.reason).to.equal("NOT_OWNER");
    }
    const stranger = await makePlayer(suite);
    await api.refuse(
      "market.listingPayload",
      "IDENTITY_REQUIRED",
      await with_(stranger, { ...identity, tokenId: "1" }),
    );
    await refuseSet(stranger, "IDENTITY_REQUIRED", { listingId });
    expect((await api.succeed("market.visibilityMy", await with_(stranger, {}))).body.total).to.equal(0);
  });

  it("says what is wrong with a request", async () => {
    const seller = await makeAgent(suite);
    const sound = { collection: "identity", tokenId: await agentIdOf(seller), price: "1" };
    const refuse = async (code: ErrorCode, change: object) =>
      api.refuse("market.listingPayload", code, await with_(seller, { ...sound, ...change }));
    await refuse("GAME_NOT_FOUND", { collection: "tetris" });
    await refuse("UNKNOWN_FIELD", { royalty: "0" });
    const foreign = await refuse("VALIDATION_FAILED", { currency: suite.deployment.rewards });
    expect(foreign.body.issues[0].path).to.equal("currency");
    for (const change of [
      { price: "0" },
      { price: `${2n ** 128n}` },
      { price: "1.5" },
      { price: 1 },
      { tokenId: `${2n ** 256n}` },
      { durationSeconds: 30 * 86400 + 1 },
      { durationSeconds: 0 },
    ])
      await refuse("VALIDATION_FAILED", change);
    await refuseSet(seller, "VALIDATION_FAILED", { listingId: "0x12" });
  });

  describe("with the chain away", () => {
    it("cannot tell what may be bought", async () => {
      const { seller, listingId, tokenId } = await publishIdentity(suite);
      await cutChain(suite);
      await api.refuse("market.listings", "CHAIN_UNAVAILABLE");
      const body = { collection: "identity", tokenId, price: "1" };
      await api.refuse("market.listingPayload", "CHAIN_UNAVAILABLE", await with_(seller, body));
      await refuseSet(seller, "CHAIN_UNAVAILABLE", { listingId });
      await api.refuse("market.visibilityMy", "CHAIN_UNAVAILABLE", await with_(seller, {}));
      // Hiding needs no chain.
      await setVisible(seller, { listingId, visible: false });
    });

    it("has shown every code of its routes", () => api.expectComplete(ROUTES));
  });
});
