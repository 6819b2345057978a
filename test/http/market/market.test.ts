import { SeaportABI } from "@opensea/seaport-js/lib/abi/Seaport.js";
import { expect } from "chai";
import type { Abi, Hex } from "viem";
import type { ErrorCode } from "../../../domain/errors.ts";
import { createAgent, createPlayer } from "../../../testing/player.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "../support/cut-chain.ts";
import { getAgentId, receiveIdentity } from "../support/identities.ts";
import {
  createChainClient,
  createMarketActions,
  openSeaport,
  PRICE,
  sendOptionalCall,
  signListing,
  toOrderParameters,
} from "../support/market.ts";
import { createRouteTester } from "../support/watch-routes.ts";

const ROUTES = ["market.listings", "market.listingPayload", "market.visibilitySet", "market.visibilityMy"];
const UNKNOWN = `0x${"ab".repeat(32)}`;

describe("the market", () => {
  const api = createRouteTester(() => stack);
  const {
    withToken,
    prepareListing,
    setVisibility,
    expectSetVisibilityError,
    publishListing,
    publishIdentity,
    getListings,
    getListingIds,
    getOwnListing,
  } = createMarketActions(api);
  const stack = useTestStack({}, closeWithoutChain);
  api.checkCodesAfterAll(ROUTES, [
    "market.listings: CHAIN_UNAVAILABLE",
    "market.visibilityMy: CHAIN_UNAVAILABLE",
    "market.visibilitySet: CHAIN_UNAVAILABLE",
  ]);

  it("the prepared order is exactly Seaport's", async () => {
    const seller = await createAgent(stack);
    const tokenId = await getAgentId(seller);
    const { body } = await prepareListing(seller, { tokenId, durationSeconds: 3600 });
    const { identity, market } = stack.deployment;
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

    const { seaport, close } = openSeaport(stack, stack.accounts[0]!.privateKey);
    expect(seaport.getOrderHash({ ...toOrderParameters(body.order), counter: body.order.counter } as never)).to.equal(
      body.listingId,
    );
    const args = [body.order];
    const hash = await createChainClient(stack).readContract({
      address: market!,
      abi: SeaportABI as Abi,
      functionName: "getOrderHash",
      args,
    });
    expect(hash).to.equal(body.listingId);
    close();
  });

  it("a listing is published if it is owned, approved and signed, and later calls only toggle it", async () => {
    const seller = await createAgent(stack);
    const tokenId = await getAgentId(seller);
    const prepared = await prepareListing(seller, { tokenId });
    const { listingId, approval } = prepared.body;
    const signature = await signListing(seller, prepared);
    expect(await getOwnListing(seller, listingId)).to.include({ visible: false, signature: null });
    const unapproved = await expectSetVisibilityError(seller, "LISTING_INVALID", { listingId, signature });
    expect(unapproved.body).to.deep.include({ reason: "NOT_APPROVED", reasons: ["NOT_APPROVED"] });
    await sendOptionalCall(seller, approval);
    expect((await prepareListing(seller, { tokenId })).body.approval).to.equal(null);

    const missing = await expectSetVisibilityError(seller, "VALIDATION_FAILED", { listingId });
    expect(missing.body.issues[0].path).to.equal("signature");
    const other = await createAgent(stack);
    const withV = (odd: string, even: string) => `${signature.slice(0, -2)}${signature.endsWith("1b") ? odd : even}`;
    const wrongV = withV("1c", "1b");
    for (const wrong of [await signListing(other, prepared), wrongV, "0x", "0x1234"])
      await expectSetVisibilityError(seller, "SIGNATURE_INVALID", { listingId, signature: wrong });
    await expectSetVisibilityError(seller, "VALIDATION_FAILED", { listingId, signature: `0x${"00".repeat(2049)}` });
    expect(await getListingIds()).to.not.include(listingId);

    // Seaport does not accept a Ledger's v. The listing has the accepted form.
    const published = await setVisibility(seller, { listingId, signature: withV("00", "01") });
    expect(published.body).to.include({ listingId, visible: true });
    const entry = (await getListings()).items.find((found: { listingId: Hex }) => found.listingId === listingId);
    expect(entry).to.deep.include({
      collection: "identity",
      contract: stack.deployment.identity,
      tokenId,
      seller: seller.address,
      price: `${PRICE}`,
      visible: true,
      order: prepared.body.order,
      signature,
      reasons: [],
    });
    expect((await setVisibility(seller, { listingId, visible: false })).body).to.include({ listingId, visible: false });
    expect(await getListingIds()).to.not.include(listingId);
    expect(await getOwnListing(seller, listingId)).to.deep.include({ visible: false, signature, reasons: [] });
    await setVisibility(seller, { listingId });
    expect(await getListingIds()).to.include(listingId);
  });

  it("listings are found by collection and seller, sorted and in pages", async () => {
    const seller = await createAgent(stack);
    const { token } = stack.deployment;
    const ids: string[] = [];
    const offers = [
      { price: "3" },
      { price: "1", durationSeconds: 60 },
      { price: "2" },
      { price: "1", currency: token },
    ];
    for (const [index, body] of offers.entries()) {
      const tokenId = index === 0 ? await getAgentId(seller) : await receiveIdentity(stack, seller);
      ids.push((await publishListing(seller, { tokenId, ...body })).listingId);
    }
    const [three, one, two, tokens] = ids as [string, string, string, string];
    const of = `&seller=${seller.address.toLowerCase()}`;
    expect(await getListingIds(of)).to.deep.equal([tokens, two, one, three]);
    expect(await getListingIds(`${of}&sortBy=price`)).to.deep.equal([one, two, three, tokens]);
    expect(await getListingIds(`${of}&sortBy=priceDesc`)).to.deep.equal([three, two, one, tokens]);
    expect((await getListingIds(`${of}&sortBy=endsAt`))[0]).to.equal(one);
    expect(await getListingIds(`${of}&collection=identity`)).to.have.length(4);
    expect(await getListingIds(`${of}&collection=flappy`)).to.deep.equal([]);
    const page = await api.expectSuccess("market.listings", { query: `?limit=3&page=2${of}` });
    expect(page.body).to.include({ page: 2, limit: 3, total: 4 });
    expect(page.body.items.map((entry: { listingId: string }) => entry.listingId)).to.deep.equal([three]);
    await api.expectError("market.listings", "GAME_NOT_FOUND", { query: "?collection=tetris" });
    for (const query of ["?sortBy=luck", "?seller=0x12", "?limit=101"])
      await api.expectError("market.listings", "VALIDATION_FAILED", { query });
    const mine = await api.expectSuccess("market.visibilityMy", await withToken(seller, { page: 2, limit: 3 }));
    expect(mine.body).to.include({ page: 2, limit: 3, total: 4 });
  });

  it("a wallet that lists one token repeatedly replaces its own listing, and hides no other wallet's", async () => {
    const [honest, spammer] = [await createAgent(stack), await createAgent(stack)];
    const { listingId } = await publishListing(honest, { tokenId: await getAgentId(honest), price: "5" });
    const tokenId = await getAgentId(spammer);
    let last = "";
    for (let index = 0; index < 5; index += 1)
      last = (await publishListing(spammer, { tokenId, price: "999000" })).listingId;
    expect(await getListingIds(`&seller=${spammer.address}`)).to.deep.equal([last]);
    expect(await getListingIds("&sortBy=price")).to.include(listingId);
  });

  it("a repeated request gets the same order", async () => {
    const seller = await createAgent(stack);
    const body = { collection: "identity", tokenId: await getAgentId(seller), price: "1" };
    const call = { ...(await withToken(seller, body)), headers: { "Idempotency-Key": "sell" } };
    const first = await api.expectSuccess("market.listingPayload", call);
    const again = await api.expectSuccess("market.listingPayload", call);
    expect(again.body.listingId).to.equal(first.body.listingId);
    expect(
      (await api.expectSuccess("market.listingPayload", await withToken(seller, body))).body.listingId,
    ).to.not.equal(first.body.listingId);
  });

  it("a wallet lists only its own tokens", async () => {
    const [seller, other] = [await createAgent(stack), await createAgent(stack)];
    const { listingId } = await publishListing(seller, { tokenId: await getAgentId(seller) });
    for (const id of [listingId, UNKNOWN]) {
      await expectSetVisibilityError(other, "NOT_FOUND", { listingId: id });
      await expectSetVisibilityError(other, "NOT_FOUND", { listingId: id, visible: false });
    }
    expect(await getListingIds()).to.include(listingId);
    const identity = { collection: "identity", price: "1" };
    for (const tokenId of [await getAgentId(seller), "999999", `${2n ** 256n - 1n}`]) {
      const request = await withToken(other, { ...identity, tokenId });
      expect((await api.expectError("market.listingPayload", "LISTING_INVALID", request)).body.reason).to.equal(
        "NOT_OWNER",
      );
    }
    const unregisteredPlayer = await createPlayer(stack);
    await api.expectError(
      "market.listingPayload",
      "IDENTITY_REQUIRED",
      await withToken(unregisteredPlayer, { ...identity, tokenId: "1" }),
    );
    await expectSetVisibilityError(unregisteredPlayer, "IDENTITY_REQUIRED", { listingId });
    expect(
      (await api.expectSuccess("market.visibilityMy", await withToken(unregisteredPlayer, {}))).body.total,
    ).to.equal(0);
  });

  it("an invalid request gets a typed error", async () => {
    const seller = await createAgent(stack);
    const validListing = { collection: "identity", tokenId: await getAgentId(seller), price: "1" };
    const expectListingError = async (code: ErrorCode, change: object) =>
      api.expectError("market.listingPayload", code, await withToken(seller, { ...validListing, ...change }));
    await expectListingError("GAME_NOT_FOUND", { collection: "tetris" });
    await expectListingError("UNKNOWN_FIELD", { royalty: "0" });
    const foreign = await expectListingError("VALIDATION_FAILED", { currency: stack.deployment.rewards });
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
      await expectListingError("VALIDATION_FAILED", change);
    await expectSetVisibilityError(seller, "VALIDATION_FAILED", { listingId: "0x12" });
  });

  describe("while the chain is unavailable", () => {
    it("listings can be read, and a new listing reports the unavailable chain", async () => {
      const { seller, listingId, tokenId } = await publishIdentity(stack);
      await stopChain(stack);
      await api.expectSuccess("market.listings");
      const body = { collection: "identity", tokenId, price: "1" };
      await api.expectError("market.listingPayload", "CHAIN_UNAVAILABLE", await withToken(seller, body));
      await api.expectSuccess("market.visibilityMy", await withToken(seller, {}));
      // Hiding needs no chain.
      await setVisibility(seller, { listingId, visible: false });
    });
  });
});
