import { expect } from "chai";
import { concatHex, encodeFunctionData, erc20Abi, stringToHex } from "viem";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { progressNft, snapshotScore } from "../../client/index.ts";
import { makeAgent, makePlayer } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import {
  agentIdOf,
  buy,
  callSeaport,
  callToken,
  clientOf,
  ETHER,
  marketOf,
  openSeaport,
  ownerOf,
  PRICE,
  parametersOf,
  sendIfAny,
  tokensOf,
} from "./support/market.ts";
import { giveAway, passSeconds, sendAnyway } from "./support/on-chain.ts";
import { plantSession } from "./support/plant-session.ts";
import { watchRoutes } from "./support/watch-routes.ts";

type Hex = `0x${string}`;

const ZERO_WORD: Hex = `0x${"00".repeat(32)}`;

describe("listings on sale", () => {
  let suite: Suite;
  const { prepare, setVisible, refuseSet, publish, publishIdentity, listed, idsListed, reasonsOf } = marketOf(
    watchRoutes(() => suite),
  );
  before(async () => {
    suite = await startSuite();
  });
  after(() => suite.close());

  it("sells by a plain call of Seaport, and forgets the listing with that block", async () => {
    const { seller, tokenId, listingId } = await publishIdentity(suite);
    const found = (await listed()).listings.find((entry: { listingId: Hex }) => entry.listingId === listingId);
    const buyer = await makePlayer(suite);
    const client = clientOf(suite);
    const before = await client.getBalance({ address: seller.address });
    expect(await buy(suite, buyer, found)).to.equal("success");
    expect(await ownerOf(suite, suite.deployment.identity, tokenId)).to.equal(buyer.address);
    expect((await client.getBalance({ address: seller.address })) - before).to.equal(PRICE);
    expect(await idsListed()).to.not.include(listingId);
    expect(await reasonsOf(seller, listingId)).to.deep.equal(["NOT_OWNER", "FILLED"]);
    expect(await buy(suite, buyer, found)).to.equal("reverted");
  });

  it("pays the game's royalty, in the reward token, through seaport-js", async () => {
    const seller = await makeAgent(suite);
    await plantSession(suite, { wallet: seller.address, minScore: 220 });
    await snapshotScore({ client: seller.client });
    const { tokenId } = await progressNft({ client: seller.client, slug: "shellrunners" });
    const { token, nft } = suite.deployment;
    const price = 1_000n * ETHER;
    const published = await publish(seller, {
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
    const account = suite.accounts[1]!;
    const transfer = { abi: erc20Abi, functionName: "transfer", args: [account.address, price] } as const;
    await sendAnyway(suite, treasury.privateKey, { to: token, data: encodeFunctionData(transfer) });
    const [entry] = (await listed("&collection=shellrunners")).listings;
    const { seaport, close } = openSeaport(suite, account.privateKey);
    const before = [await tokensOf(suite, seller.address), await tokensOf(suite, royalty.recipient)];
    const order = {
      parameters: { ...parametersOf(entry.order), counter: entry.order.counter },
      signature: entry.signature,
    };
    const { executeAllActions } = await seaport.fulfillOrder({ order: order as never });
    await (await executeAllActions()).wait();
    close();
    expect(await ownerOf(suite, nft.shellrunners!, tokenId!)).to.equal(account.address);
    expect((await tokensOf(suite, seller.address)) - before[0]!).to.equal(BigInt(paid.startAmount));
    expect((await tokensOf(suite, royalty.recipient)) - before[1]!).to.equal(BigInt(royalty.startAmount));
    expect(await idsListed("&collection=shellrunners")).to.deep.equal([]);
  });

  it("leaves out what cannot be bought, says why, and shows it again when it can", async () => {
    const { identity, market } = suite.deployment;
    const { seller, tokenId, listingId } = await publishIdentity(suite);
    const friend = await makePlayer(suite);
    await callToken(seller, identity, "setApprovalForAll", [market, false]);
    expect(await reasonsOf(seller, listingId)).to.deep.equal(["NOT_APPROVED"]);
    expect(await idsListed()).to.not.include(listingId);
    await callToken(seller, identity, "approve", [market, BigInt(tokenId)]);
    expect(await idsListed()).to.include(listingId);
    await callToken(seller, identity, "setApprovalForAll", [market, true]);
    await giveAway(seller, identity, friend.address, tokenId);
    expect(await reasonsOf(seller, listingId)).to.deep.equal(["NOT_OWNER"]);
    expect(await idsListed()).to.not.include(listingId);
    await giveAway(friend, identity, seller.address, tokenId);
    expect(await idsListed()).to.include(listingId);
    await callSeaport(suite, seller, "incrementCounter", []);
    expect(await reasonsOf(seller, listingId)).to.deep.equal(["COUNTER_CHANGED"]);
    expect(await idsListed()).to.not.include(listingId);
    const next = await prepare(seller, { tokenId });
    expect(next.body.order.counter).to.match(/^[1-9]\d+$/);
  });

  it("leaves out what its seller cancelled, and refuses to publish it again", async () => {
    const { seller, listingId, order } = await publishIdentity(suite);
    await callSeaport(suite, seller, "cancel", [[order]]);
    expect(await idsListed()).to.not.include(listingId);
    expect(await reasonsOf(seller, listingId)).to.deep.equal(["CANCELLED"]);
    const { body } = await refuseSet(seller, "LISTING_INVALID", { listingId });
    expect(body).to.deep.include({ reason: "CANCELLED", reasons: ["CANCELLED"] });
    await setVisible(seller, { listingId, visible: false });
  });

  it("leaves out what is over", async () => {
    const { seller, listingId } = await publishIdentity(suite, { durationSeconds: 3600 });
    const longer = await publishIdentity(suite, { durationSeconds: 30 * 86400 });
    expect(await idsListed()).to.include(listingId);
    await passSeconds(suite, 4000);
    const ids = await idsListed();
    expect(ids).to.include(longer.listingId);
    expect(ids).to.not.include(listingId);
    expect(await reasonsOf(seller, listingId)).to.deep.equal(["EXPIRED"]);
    expect((await refuseSet(seller, "LISTING_INVALID", { listingId })).body.reason).to.equal("EXPIRED");
  });

  it("keeps what a key has signed, whatever code its address gets", async () => {
    const { seller, listingId } = await publishIdentity(suite);
    const found = (await listed()).listings.find((entry: { listingId: Hex }) => entry.listingId === listingId);
    // Answers nothing to anybody.
    await suite.chain.request("hardhat_setCode", [seller.address, "0x00"]);
    await suite.chain.request("evm_mine", []);
    expect(await idsListed()).to.include(listingId);
    expect(await buy(suite, await makePlayer(suite), found)).to.equal("success");
  });

  it("takes the word of a contract wallet, for as long as it stands by it", async () => {
    const seller = await makeAgent(suite);
    const tokenId = await agentIdOf(seller);
    const { listingId, order, approval } = (await prepare(seller, { tokenId })).body;
    await sendIfAny(seller, approval);
    const password = stringToHex("let this one in", { size: 32 });
    // `isValidSignature` alone: ERC-1271's magic value where the signature's first word is the password, else 0.
    const codeFor = (word: Hex) =>
      concatHex(["0x7f", word, "0x60643514", "0x631626ba7e60e01b", "0x02", "0x60005260206000f3"]);
    const code = codeFor(password);
    await suite.chain.request("hardhat_setCode", [seller.address, code]);
    await refuseSet(seller, "SIGNATURE_INVALID", { listingId, signature: stringToHex("me too", { size: 32 }) });
    await setVisible(seller, { listingId, signature: password });
    expect(await idsListed(`&seller=${seller.address}`)).to.deep.equal([listingId]);
    await suite.chain.request("hardhat_setCode", [seller.address, codeFor(ZERO_WORD)]);
    await suite.chain.request("evm_mine", []);
    expect(await idsListed(`&seller=${seller.address}`), "it has taken its word back").to.deep.equal([]);
    expect(await reasonsOf(seller, listingId)).to.deep.equal(["SIGNATURE_REFUSED"]);
    expect(await buy(suite, await makePlayer(suite), { order, signature: password })).to.equal("reverted");
    await suite.chain.request("hardhat_setCode", [seller.address, code]);
    await suite.chain.request("evm_mine", []);
    expect(await idsListed(`&seller=${seller.address}`)).to.deep.equal([listingId]);
    expect(await buy(suite, await makePlayer(suite), { order, signature: password })).to.equal("success");
  });
});
