import { expect } from "chai";
import { createAgent, createPlayer } from "../../../testing/player.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { choosePrimary, getAgentId, receiveIdentity } from "../support/identities.ts";
import { createNftActions, FIRST_TIER, SECOND_TIER } from "../support/nft.ts";
import { sendCall, sendWithFixedGas, transferToken } from "../support/on-chain.ts";
import { SHOWN_BY } from "../support/shown-elsewhere.ts";
import { createRouteTester } from "../support/watch-routes.ts";

describe("game NFTs and identities in other hands", () => {
  const api = createRouteTester(() => stack);
  const stack = useTestStack();
  api.checkShownAfterAll(SHOWN_BY.transfers);

  const { withToken, prepare, record, start, reachScore } = createNftActions(() => stack, api);

  it("the gate ignores an NFT that its first owner has transferred", async () => {
    const [player, buyer] = [await createAgent(stack), await createPlayer(stack)];
    await reachScore(player, FIRST_TIER);
    await sendCall(player, (await prepare(player)).call);
    const tokenId = await getAgentId(player);
    await transferToken(player, stack.deployment.nft.shellrunners!, buyer.address, tokenId);
    await reachScore(player, SECOND_TIER);
    expect(await prepare(player)).to.include({ action: "none", reason: "TOKEN_TRANSFERRED", tokenId });
    expect((await start(player)).status).to.equal(200);
  });

  it("the buyer of a game NFT upgrades it by naming the token", async () => {
    const [seller, buyer] = [await createAgent(stack), await createAgent(stack)];
    await reachScore(seller, FIRST_TIER);
    await sendCall(seller, (await prepare(seller)).call);
    const tokenId = await getAgentId(seller);
    await reachScore(buyer, SECOND_TIER);
    const rejected = await api.expectError("nft.prepare", "FORBIDDEN", await withToken(buyer, { tokenId }));
    expect(rejected.body.error).to.include(buyer.address).and.to.include(seller.address);
    await api.expectError("nft.prepare", "NOT_FOUND", await withToken(buyer, { tokenId: "999999" }));

    await transferToken(seller, stack.deployment.nft.shellrunners!, buyer.address, tokenId);
    const upgrade = await prepare(buyer, { tokenId });
    expect(upgrade).to.include({ action: "upgrade", tier: 2, tokenId });
    const txHash = await sendCall(buyer, upgrade.call);
    expect(await record(buyer, txHash)).to.include({ action: "upgrade", tokenId, tier: 2 });
  });

  it("the former owner of an identity mints nothing, neither now nor by an old signature", async () => {
    const [seller, buyer] = [await createAgent(stack), await createPlayer(stack)];
    const agentId = await getAgentId(seller);
    await reachScore(seller, FIRST_TIER);
    const old = await prepare(seller);
    await transferToken(seller, stack.deployment.identity, buyer.address, agentId);
    await api.expectError("nft.prepare", "IDENTITY_REQUIRED", await withToken(seller));
    const failedTx = await sendWithFixedGas(stack, stack.accounts[3]!.privateKey, old.call);
    await api.expectError("nft.record", "TX_FAILED", await withToken(seller, { txHash: failedTx }));
  });

  it("a score counts only for the identity under which it was played, even if its session is given", async () => {
    const player = await createAgent(stack);
    const first = await getAgentId(player);
    const { sessionId } = await reachScore(player, SECOND_TIER);
    const second = await receiveIdentity(stack, player);
    await choosePrimary(stack, player, second);
    expect(await prepare(player)).to.deep.include({ action: "none", reason: "BELOW_FIRST_TIER", tokenId: null });
    const { body } = await api.expectError("nft.prepare", "FORBIDDEN", await withToken(player, { sessionId }));
    expect(body).to.include({ sessionId });
    expect(body.error).to.contain(`played as agent ${first}`).and.to.contain(`as agent ${second}`);
    const gate = await stack.app.services.nft.getGateFacts(player.address, second, "shellrunners");
    expect(gate, "the gate waits for nothing that cannot be minted").to.equal(null);

    await choosePrimary(stack, player, first);
    const mint = await prepare(player, { sessionId });
    expect(mint.typedData.message.agentId).to.equal(first);
  });

  it("the buyer of an identity mints its game NFT with its own score, after the seller's signature was void", async () => {
    const [seller, buyer] = [await createAgent(stack), await createPlayer(stack)];
    const agentId = await getAgentId(seller);
    await reachScore(seller, FIRST_TIER);
    const old = await prepare(seller);
    await transferToken(seller, stack.deployment.identity, buyer.address, agentId);
    const failedTx = await sendWithFixedGas(stack, stack.accounts[3]!.privateKey, old.call);
    await api.expectError("nft.record", "TX_FAILED", await withToken(seller, { txHash: failedTx }));

    await choosePrimary(stack, buyer, agentId);
    expect(await prepare(buyer)).to.deep.include({ action: "none", reason: "BELOW_FIRST_TIER", tokenId: null });
    await reachScore(buyer, FIRST_TIER);
    const mint = await prepare(buyer);
    expect(mint.typedData.message).to.include({ wallet: buyer.address, agentId });
    expect(await record(buyer, await sendCall(buyer, mint.call))).to.include({ action: "mint", tokenId: agentId });
  });

  it("a just sold identity is read from the chain before anything is signed", async () => {
    const [seller, buyer] = [await createAgent(stack), await createPlayer(stack)];
    await reachScore(seller, FIRST_TIER);
    await api.expectSuccess("rewards.readiness", { token: await seller.getAccessToken(), body: {} });
    // The cache now has the seller's identity.
    await stack.app.services.identity.requireIdentity(seller.address);
    await transferToken(seller, stack.deployment.identity, buyer.address, await getAgentId(seller));
    expect(await stack.app.services.identity.requireIdentity(seller.address)).to.be.a("string");
    await api.expectError("nft.prepare", "IDENTITY_REQUIRED", await withToken(seller));
  });
});
