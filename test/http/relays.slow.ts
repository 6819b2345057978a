import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { createWalletClient, http, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { mintOrUpgradeNft, registerAgent, snapshotScore } from "../../client/flows.ts";
import { isApiError } from "../../client/index.ts";
import { requestPayout } from "../../client/payout-flows.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { useTestStack } from "../helpers/suite.ts";
import { setMaxScore } from "./support/on-chain.ts";
import { connect, createPoorPlayer, readAccount } from "./support/poor-player.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const SLUG = "shellrunners";
const FIRST_TIER = 220;
const SECOND_TIER = 900;
const UNKNOWN_TX = `0x${"ab".repeat(32)}`;

describe("relays that the operator pays for", () => {
  const api = createRouteTester(() => stack);
  const stack = useTestStack();

  const plantScore = (player: Player, minScore: number) =>
    addEndedSession(stack, { wallet: player.address, slug: SLUG, minScore });
  const register = (player: Player) => registerAgent({ client: player.client, agentName: "Poor", sponsor: true });
  const call = async (player: Player, body: object) => ({ token: await player.getAccessToken(), body });

  /** Pauses a contract as its guardian, or resumes it as its admin. */
  async function setPaused(address: `0x${string}`, isPaused: boolean): Promise<void> {
    const account = privateKeyToAccount(developmentServiceAccount(isPaused ? 1 : 0).privateKey);
    const wallet = createWalletClient({ account, chain: hardhat, transport: http(stack.chain.rpcUrl) });
    const abi = parseAbi(["function pause()", "function unpause()"]);
    const hash = await wallet.writeContract({ address, abi, functionName: isPaused ? "pause" : "unpause" });
    const { status } = await connect(stack).waitForTransactionReceipt({ hash });
    expect(status).to.equal("success");
  }

  it("a wallet with 0 wei registers, snapshots, mints, upgrades and is paid, and never sends anything", async () => {
    const poor = createPoorPlayer(stack);
    const { agentId, relay } = await register(poor);
    expect(relay).to.deep.include({ mode: "relayed", status: "included" });
    expect(await poor.client.relays.get({ relayId: relay!.relayId })).to.deep.include({ txHash: relay!.txHash });

    const { sessionId, score } = await plantScore(poor, FIRST_TIER);
    const snapshot = await snapshotScore({ client: poor.client, sessionId, sponsor: true });
    expect(snapshot).to.deep.include({ mode: "recorded", scoreDelta: score, receipt: null });
    const minted = await mintOrUpgradeNft({ client: poor.client, slug: SLUG, sponsor: true });
    expect(minted).to.deep.include({ action: "mint", tokenId: agentId, tier: 1, receipt: null });

    await plantScore(poor, SECOND_TIER);
    await plantScore(poor, 1);
    const batch = await poor.client.rewards.snapshotAllSponsored({ all: true, sponsor: true });
    expect(batch).to.include({ mode: "relayed", status: "included" });
    expect(batch.sessions).to.have.length(2);
    const upgraded = await mintOrUpgradeNft({ client: poor.client, slug: SLUG, sponsor: true });
    expect(upgraded).to.deep.include({ action: "upgrade", tokenId: agentId, tier: 2, receipt: null });

    await stack.chain.request("evm_increaseTime", [6]);
    await stack.chain.request("evm_mine", []);
    const outcome = await requestPayout({ client: poor.client, sponsor: true });
    expect(outcome.paid, JSON.stringify(outcome)).to.equal(true);
    if (outcome.paid) expect(outcome.payout).to.include({ mode: "relayed", status: "included" });
    expect(await readAccount(stack, poor)).to.deep.equal({ balance: 0n, sent: 0 });
  });

  it("a sponsored score above the limit per session is credited up to it, alone and in a batch", async () => {
    const poor = createPoorPlayer(stack);
    await register(poor);
    await setMaxScore(stack, 20n);
    const { sessionId, score } = await plantScore(poor, 50);
    const snapshot = await snapshotScore({ client: poor.client, sessionId, sponsor: true });
    expect(snapshot).to.include({ mode: "recorded", scoreDelta: score });
    for (let count = 0; count < 2; count += 1) await plantScore(poor, 50);
    const batch = await poor.client.rewards.snapshotAllSponsored({ all: true, sponsor: true });
    expect(batch).to.include({ mode: "relayed", status: "included" });
    await setMaxScore(stack, 10_000_000n);
    expect(await poor.client.rewards.scorebank({})).to.deep.include({ score: 60, pending: [] });
  });

  it("a repeated request gets the same relay, even if both are simultaneous", async () => {
    const poor = createPoorPlayer(stack);
    await register(poor);
    const { sessionId } = await plantScore(poor, 1);
    await stack.chain.request("evm_setAutomine", [false]);
    try {
      const ask = () => poor.client.rewards.snapshotSponsored({ sessionId, sponsor: true });
      const waiting = [ask(), ask()];
      const { relays } = stack.app.services;
      const before = await relays.getGates();
      while (JSON.stringify(await relays.getGates()) === JSON.stringify(before)) await setImmediate();
      waiting.push(ask());
      await stack.chain.request("evm_mine", []);
      const answers = await Promise.all(waiting);
      expect(new Set(answers.map((answer) => answer.mode))).to.deep.equal(new Set(["relayed"]));
      expect(new Set(answers.map((answer) => answer.mode === "relayed" && answer.relayId)).size).to.equal(1);
    } finally {
      await stack.chain.request("evm_setAutomine", [true]);
    }
  });

  it("a score that is already on chain, or an NFT that needs no change, is answered without a relay", async () => {
    const poor = createPoorPlayer(stack);
    await register(poor);
    const { sessionId } = await plantScore(poor, 1);
    await snapshotScore({ client: poor.client, sessionId, sponsor: true });
    const again = await api.expectSuccess("rewards.snapshot", await call(poor, { sessionId, sponsor: true }));
    expect(again.body).to.include({ mode: "already_done" });
    const prepared = await poor.client.nft.prepareSponsored({ slug: SLUG, sponsor: true });
    expect(prepared).to.include({ action: "none", reason: "BELOW_FIRST_TIER" });
  });

  it("pays for no identity of a wallet without a sign-in or a signed consent", async () => {
    const poor = createPoorPlayer(stack);
    const body = { walletAddress: poor.address, agentName: "Poor", sponsor: true };
    await api.expectError("identity.register", "AUTH_REQUIRED", { body });
    await poor.client.signIn.signIn();
    const asked = (await api.expectSuccess("identity.register", { body })).body;
    expect(asked).to.include({ mode: "consent" });
    expect(asked.consent).to.deep.include({ primaryType: "ConsentToMint" });
    const otherPlayer = createPoorPlayer(stack);
    const consent = await otherPlayer.wallet.signTypedData!(asked.consent);
    const { deadline, nonce } = asked;
    await api.expectError("identity.register", "SIGNATURE_INVALID", { body: { ...body, deadline, nonce, consent } });
    await api.expectError("identity.register", "VALIDATION_FAILED", { body: { ...body, consent } });
    expect((await poor.client.identity.ownershipStatus({ walletAddress: poor.address })).owned).to.equal(false);
  });

  it("pays for no score that its replay does not confirm", async () => {
    const poor = createPoorPlayer(stack);
    await register(poor);
    const forged = await addEndedSession(stack, { wallet: poor.address, slug: SLUG, claimedScore: 1_000_000 });
    const left = async () => (await api.expectSuccess("relays.gates")).body.sponsorship.left;
    const before = await left();
    for (const asked of [{ all: true }, { sessionId: forged.sessionId }]) {
      const body = { ...asked, sponsor: true };
      const refused = await api.expectError("rewards.snapshot", "REPLAY_MISMATCH", await call(poor, body));
      expect(refused.body.sessionId).to.equal(forged.sessionId);
    }
    expect(await left()).to.deep.equal(before);
    expect(await readAccount(stack, poor)).to.deep.equal({ balance: 0n, sent: 0 });
  });

  it("reports what the contract rejects, without charging the budget", async () => {
    const poor = createPoorPlayer(stack);
    const left = async () => (await api.expectSuccess("relays.gates")).body.sponsorship.left;
    const { identity, rewards, nft } = stack.deployment;
    await setPaused(identity, true);
    const before = await left();
    try {
      expect(await register(poor).catch((error: unknown) => isApiError(error, "TX_FAILED"))).to.equal(true);
      expect(await left()).to.deep.equal(before);
    } finally {
      await setPaused(identity, false);
    }
    await register(poor);
    await plantScore(poor, FIRST_TIER);
    await setPaused(rewards, true);
    try {
      await api.expectError("rewards.snapshot", "TX_FAILED", await call(poor, { sponsor: true }));
    } finally {
      await setPaused(rewards, false);
    }
    await snapshotScore({ client: poor.client, sponsor: true });
    await setPaused(nft[SLUG]!, true);
    try {
      const params = { slug: SLUG };
      await api.expectError("nft.prepare", "TX_FAILED", { params, ...(await call(poor, { sponsor: true })) });
    } finally {
      await setPaused(nft[SLUG]!, false);
    }
  });

  it("neither another wallet's relay nor an unknown one is found", async () => {
    const poor = createPoorPlayer(stack);
    const { relay } = await register(poor);
    const other = await createAgent(stack);
    const token = await other.getAccessToken();
    for (const relayId of [relay!.relayId, "unknown"])
      await api.expectError("relays.get", "NOT_FOUND", { params: { relayId }, token });
  });

  it("a relayed snapshot takes no transaction of the wallet beside it, a self-paid payout no sponsor", async () => {
    const agent = await createAgent(stack);
    const { sessionId } = await plantScore(agent, 1);
    const bodies = [
      ["rewards.snapshot", { sessionId, txHash: UNKNOWN_TX, sponsor: true }],
      ["rewards.payout", { mode: "self", sponsor: true }],
    ] as const;
    for (const [name, body] of bodies) await api.expectError(name, "VALIDATION_FAILED", await call(agent, body));
  });
});
