import { expect } from "chai";
import type { Hex } from "viem";
import { concatHex, encodeFunctionData, erc20Abi, stringToHex } from "viem";
import { developmentServiceAccount } from "../../../backend/config/dev-keys.ts";
import { mintOrUpgradeNft, snapshotScore } from "../../../client/index.ts";
import { addEndedSession } from "../../../testing/ended-session.ts";
import { createAgent, createPlayer } from "../../../testing/player.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { choosePrimary, getAgentId } from "../support/identities.ts";
import {
  buy,
  callSeaport,
  callToken,
  createChainClient,
  createMarketActions,
  ETHER,
  getTokenBalance,
  getTokenOwner,
  openSeaport,
  PRICE,
  sendOptionalCall,
  toOrderParameters,
} from "../support/market.ts";
import { increaseChainTime, sendWithFixedGas, transferToken } from "../support/on-chain.ts";
import { createRouteTester } from "../support/watch-routes.ts";

const ZERO_WORD: Hex = `0x${"00".repeat(32)}`;

describe("listings on sale", () => {
  const {
    prepareListing,
    setVisibility,
    expectSetVisibilityError,
    publishListing,
    publishIdentity,
    getListings,
    getListingIds,
    getReasons,
  } = createMarketActions(createRouteTester(() => stack));
  const stack = useTestStack();

  it("a plain Seaport call buys a listing, which disappears with that block", async () => {
    const { seller, tokenId, listingId } = await publishIdentity(stack);
    const found = (await getListings()).items.find((entry: { listingId: Hex }) => entry.listingId === listingId);
    const buyer = await createPlayer(stack);
    const client = createChainClient(stack);
    const before = await client.getBalance({ address: seller.address });
    expect(await buy(stack, buyer, found)).to.equal("success");
    expect(await getTokenOwner(stack, stack.deployment.identity, tokenId)).to.equal(buyer.address);
    expect((await client.getBalance({ address: seller.address })) - before).to.equal(PRICE);
    expect(await getListingIds()).to.not.include(listingId);
    expect(await getReasons(seller, listingId)).to.deep.equal(["NOT_OWNER", "FILLED"]);
    expect(await buy(stack, buyer, found)).to.equal("reverted");
  });

  it("a sale through seaport-js pays the game's royalty in the reward token", async () => {
    const seller = await createAgent(stack);
    await addEndedSession(stack, { wallet: seller.address, minScore: 220 });
    await snapshotScore({ client: seller.client });
    const { tokenId } = await mintOrUpgradeNft({ client: seller.client, slug: "shellrunners" });
    const { token, nft } = stack.deployment;
    const price = 1_000n * ETHER;
    const published = await publishListing(seller, {
      collection: "shellrunners",
      tokenId,
      price: `${price}`,
      currency: token.toLowerCase(),
    });
    const [paid, royalty] = published.order.consideration;
    expect(paid).to.include({
      itemType: 1,
      token,
      startAmount: `${(price * 9750n) / 10000n}`,
      recipient: seller.address,
    });
    expect(royalty).to.include({ itemType: 1, token, startAmount: `${(price * 250n) / 10000n}` });

    const treasury = developmentServiceAccount(0);
    const account = stack.accounts[1]!;
    const transfer = { abi: erc20Abi, functionName: "transfer", args: [account.address, price] } as const;
    await sendWithFixedGas(stack, treasury.privateKey, { to: token, data: encodeFunctionData(transfer) });
    const [entry] = (await getListings("&collection=shellrunners")).items;
    const { seaport, close } = openSeaport(stack, account.privateKey);
    const before = [await getTokenBalance(stack, seller.address), await getTokenBalance(stack, royalty.recipient)];
    const order = {
      parameters: { ...toOrderParameters(entry.order), counter: entry.order.counter },
      signature: entry.signature,
    };
    const { executeAllActions } = await seaport.fulfillOrder({ order: order as never });
    await (await executeAllActions()).wait();
    close();
    expect(await getTokenOwner(stack, nft.shellrunners!, tokenId!)).to.equal(account.address);
    expect((await getTokenBalance(stack, seller.address)) - before[0]!).to.equal(BigInt(paid.startAmount));
    expect((await getTokenBalance(stack, royalty.recipient)) - before[1]!).to.equal(BigInt(royalty.startAmount));
    expect(await getListingIds("&collection=shellrunners")).to.deep.equal([]);
  });

  it("an unavailable listing is hidden with a reason, and shown again when it can be bought", async () => {
    const { identity, market } = stack.deployment;
    const { seller, tokenId, listingId } = await publishIdentity(stack);
    const friend = await createPlayer(stack);
    await callToken(seller, identity, "setApprovalForAll", [market, false]);
    expect(await getReasons(seller, listingId)).to.deep.equal(["NOT_APPROVED"]);
    expect(await getListingIds()).to.not.include(listingId);
    await callToken(seller, identity, "approve", [market, BigInt(tokenId)]);
    expect(await getListingIds()).to.include(listingId);
    await callToken(seller, identity, "setApprovalForAll", [market, true]);
    await transferToken(seller, identity, friend.address, tokenId);
    expect(await getReasons(seller, listingId)).to.deep.equal(["NOT_OWNER"]);
    expect(await getListingIds()).to.not.include(listingId);
    await transferToken(friend, identity, seller.address, tokenId);
    expect(await getListingIds()).to.include(listingId);
    await callSeaport(stack, seller, "incrementCounter", []);
    expect(await getReasons(seller, listingId)).to.deep.equal(["COUNTER_CHANGED"]);
    expect(await getListingIds()).to.not.include(listingId);
    await choosePrimary(stack, seller, tokenId);
    const next = await prepareListing(seller, { tokenId });
    expect(next.body.order.counter).to.match(/^[1-9]\d+$/);
  });

  it("a cancelled listing is hidden and cannot be published again", async () => {
    const { seller, listingId, order } = await publishIdentity(stack);
    await callSeaport(stack, seller, "cancel", [[order]]);
    expect(await getListingIds()).to.not.include(listingId);
    expect(await getReasons(seller, listingId)).to.deep.equal(["CANCELLED"]);
    const { body } = await expectSetVisibilityError(seller, "LISTING_INVALID", { listingId });
    expect(body).to.deep.include({ reason: "CANCELLED", reasons: ["CANCELLED"] });
    await setVisibility(seller, { listingId, visible: false });
  });

  it("an expired listing is hidden", async () => {
    const { seller, listingId } = await publishIdentity(stack, { durationSeconds: 3600 });
    const longer = await publishIdentity(stack, { durationSeconds: 30 * 86400 });
    expect(await getListingIds()).to.include(listingId);
    await increaseChainTime(stack, 4000);
    const ids = await getListingIds();
    expect(ids).to.include(longer.listingId);
    expect(ids).to.not.include(listingId);
    expect(await getReasons(seller, listingId)).to.deep.equal(["EXPIRED"]);
    expect((await expectSetVisibilityError(seller, "LISTING_INVALID", { listingId })).body.reason).to.equal("EXPIRED");
  });

  it("a listing signed by a key stays when its address gets code", async () => {
    const { seller, listingId } = await publishIdentity(stack);
    const found = (await getListings()).items.find((entry: { listingId: Hex }) => entry.listingId === listingId);
    // The code returns nothing to any call.
    await stack.chain.request("hardhat_setCode", [seller.address, "0x00"]);
    await stack.chain.request("evm_mine", []);
    expect(await getListingIds()).to.include(listingId);
    expect(await buy(stack, await createPlayer(stack), found)).to.equal("success");
  });

  it("a contract wallet's listing stays as long as the wallet confirms its signature", async () => {
    const seller = await createAgent(stack);
    const tokenId = await getAgentId(seller);
    const { listingId, order, approval } = (await prepareListing(seller, { tokenId })).body;
    await sendOptionalCall(seller, approval);
    const password = stringToHex("let this one in", { size: 32 });
    // Only `isValidSignature`: ERC-1271's magic value if the signature's first word is the password, else 0.
    const getRejectionCode = (word: Hex) =>
      concatHex(["0x7f", word, "0x60643514", "0x631626ba7e60e01b", "0x02", "0x60005260206000f3"]);
    const code = getRejectionCode(password);
    await stack.chain.request("hardhat_setCode", [seller.address, code]);
    await expectSetVisibilityError(seller, "SIGNATURE_INVALID", {
      listingId,
      signature: stringToHex("me too", { size: 32 }),
    });
    await setVisibility(seller, { listingId, signature: password });
    expect(await getListingIds(`&seller=${seller.address}`)).to.deep.equal([listingId]);
    await stack.chain.request("hardhat_setCode", [seller.address, getRejectionCode(ZERO_WORD)]);
    await stack.chain.request("evm_mine", []);
    expect(await getListingIds(`&seller=${seller.address}`), "it has taken its word back").to.deep.equal([]);
    expect(await getReasons(seller, listingId)).to.deep.equal(["SIGNATURE_REFUSED"]);
    expect(await buy(stack, await createPlayer(stack), { order, signature: password })).to.equal("reverted");
    await stack.chain.request("hardhat_setCode", [seller.address, code]);
    await stack.chain.request("evm_mine", []);
    expect(await getListingIds(`&seller=${seller.address}`)).to.deep.equal([listingId]);
    expect(await buy(stack, await createPlayer(stack), { order, signature: password })).to.equal("success");
  });
});
