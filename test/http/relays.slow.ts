import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { createPublicClient, createWalletClient, http, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { mintOrUpgradeNft, registerAgent, snapshotScore } from "../../client/flows.ts";
import { createClient, fromViem, isApiError } from "../../client/index.ts";
import { requestPayout } from "../../client/payout-flows.ts";
import { createAgent, type Player } from "../helpers/player.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { addEndedSession } from "./support/plant-session.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const SLUG = "shellrunners";
const FIRST_TIER = 220;
const SECOND_TIER = 900;
const UNKNOWN_TX = `0x${"ab".repeat(32)}`;

/** A fresh wallet without ether. */
function createPoorPlayer(stack: TestStack): Player {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  const transport = http(stack.chain.rpcUrl);
  const publicClient = createPublicClient({ chain: hardhat, transport, pollingInterval: 20 });
  const wallet = fromViem(createWalletClient({ account, chain: hardhat, transport }), publicClient as never);
  const client = createClient({ baseUrl: stack.httpUrl, wallet });
  const getAccessToken = async () => (await client.signIn.accessToken())!;
  return { privateKey, address: account.address, wallet, client, getAccessToken };
}

const connect = (stack: TestStack) => createPublicClient({ chain: hardhat, transport: http(stack.chain.rpcUrl) });

/** What the wallet holds and has sent. */
async function readAccount(stack: TestStack, { address }: Player) {
  const client = connect(stack);
  return { balance: await client.getBalance({ address }), sent: await client.getTransactionCount({ address }) };
}

describe("relays that the operator pays for", function () {
  this.timeout(60_000);
  let stack: TestStack;
  const api = createRouteTester(() => stack);
  before(async () => {
    stack = await startTestStack();
  });
  after(() => stack.close());

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

  it("a request that is repeated gets the same relay, also twice at once", async () => {
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

  it("a score that is on chain already, or an NFT that needs nothing, is answered without a relay", async () => {
    const poor = createPoorPlayer(stack);
    await register(poor);
    const { sessionId } = await plantScore(poor, 1);
    await snapshotScore({ client: poor.client, sessionId, sponsor: true });
    const again = await api.expectSuccess("rewards.snapshot", await call(poor, { sessionId, sponsor: true }));
    expect(again.body).to.include({ mode: "already_done" });
    const prepared = await poor.client.nft.prepareSponsored({ slug: SLUG, sponsor: true });
    expect(prepared).to.include({ action: "none", reason: "BELOW_FIRST_TIER" });
  });

  it("no identity is paid for a wallet that has not signed in, or has not signed its consent", async () => {
    const poor = createPoorPlayer(stack);
    const body = { walletAddress: poor.address, agentName: "Poor", sponsor: true };
    await api.expectError("identity.register", "AUTH_REQUIRED", { body });
    await poor.client.signIn.signIn();
    const asked = (await api.expectSuccess("identity.register", { body })).body;
    expect(asked).to.include({ mode: "consent" });
    expect(asked.consent).to.deep.include({ primaryType: "ConsentToMint" });
    const stranger = createPoorPlayer(stack);
    const consent = await stranger.wallet.signTypedData!(asked.consent);
    const { deadline, nonce } = asked;
    await api.expectError("identity.register", "SIGNATURE_INVALID", { body: { ...body, deadline, nonce, consent } });
    await api.expectError("identity.register", "VALIDATION_FAILED", { body: { ...body, consent } });
    expect((await poor.client.identity.ownershipStatus({ walletAddress: poor.address })).owned).to.equal(false);
  });

  it("what the contract rejects is answered as such, and takes nothing of the budget", async () => {
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

  it("another wallet's relay is not found, nor one that does not exist", async () => {
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

describe("the bounds of relays", function () {
  this.timeout(60_000);
  let stack: TestStack;
  const api = createRouteTester(() => stack);
  // Too little for an identity, enough for the first snapshot, too little for an NFT after it.
  const env = { ARCADE_SPONSOR_GAS_PER_DAY: "200000", ARCADE_SPONSOR_GAS_PER_IDENTITY: "200000" };
  before(async () => {
    stack = await startTestStack({ env });
  });
  after(() => stack.close());
  const call = async (player: Player, body: object) => ({ token: await player.getAccessToken(), body });

  it("the gates state them, and what is left of the day", async () => {
    const { sponsorship } = (await api.expectSuccess("relays.gates")).body;
    expect(sponsorship).to.deep.include({
      enabled: true,
      gasPerDay: 200_000,
      mintGasPerDay: 100_000,
      gasPerIdentity: 200_000,
      gasPerAddress: null,
      mintsPerWallet: 1,
      left: { gas: 200_000, mintGas: 100_000 },
    });
    expect(Date.parse(sponsorship.resetsAt) % 86_400_000).to.equal(0);
  });

  it("an identity beyond them is refused with the call that the wallet can send itself", async () => {
    const poor = createPoorPlayer(stack);
    const failure = await registerAgent({ client: poor.client, agentName: "Poor", sponsor: true }).catch(
      (error: unknown) => error,
    );
    if (!isApiError(failure, "SPONSORSHIP_EXHAUSTED")) throw failure;
    expect(failure.status).to.equal(429);
    expect(failure.fields).to.include({ bound: "mintGasPerDay" });
    expect(failure.fields.call).to.deep.include({ functionName: "mintIdentityWithSignature" });
    expect((await poor.client.identity.ownershipStatus({ walletAddress: poor.address })).owned).to.equal(false);
  });

  it("after the day's gas is taken, snapshot and NFT are refused with their calls, which the wallet then sends", async () => {
    const agent = await createAgent(stack);
    const plant = (minScore: number) => addEndedSession(stack, { wallet: agent.address, slug: SLUG, minScore });
    await plant(FIRST_TIER);
    await snapshotScore({ client: agent.client, sponsor: true });
    const nft = await api.expectError("nft.prepare", "SPONSORSHIP_EXHAUSTED", {
      ...(await call(agent, { sponsor: true })),
      params: { slug: SLUG },
    });
    expect(nft.body.bound).to.equal("gasPerDay");
    expect(nft.body.call).to.deep.include({ functionName: "mintSigned" });
    const { txHash } = await agent.wallet.sendCall(nft.body.call);
    expect((await agent.wallet.waitForReceipt(txHash)).status).to.equal("success");

    await plant(1);
    const refused = await api.expectError(
      "rewards.snapshot",
      "SPONSORSHIP_EXHAUSTED",
      await call(agent, { sponsor: true }),
    );
    expect(refused.body.call).to.deep.include({ functionName: "snapshotScoreSigned" });
    expect(Number(refused.headers.get("retry-after"))).to.be.within(1, 86_400);
    expect((await snapshotScore({ client: agent.client })).mode).to.equal("recorded");
  });
});

describe("a service whose operator has signed all calls of its day", function () {
  this.timeout(60_000);
  let stack: TestStack;
  const api = createRouteTester(() => stack);
  before(async () => {
    stack = await startTestStack({ env: { ARCADE_OPERATOR_CALLS_PER_DAY: "1" } });
  });
  after(() => stack.close());

  it("refuses a relay with the call that the wallet can send itself, and says when it goes on", async () => {
    const agent = await createAgent(stack);
    const plant = () => addEndedSession(stack, { wallet: agent.address, slug: SLUG, minScore: 1 });
    await plant();
    expect((await snapshotScore({ client: agent.client, sponsor: true })).mode).to.equal("recorded");
    await plant();
    const { body, headers } = await api.expectError("rewards.snapshot", "SPONSORSHIP_EXHAUSTED", {
      token: await agent.getAccessToken(),
      body: { sponsor: true },
    });
    expect(body).to.include({ bound: "operatorCallsPerDay" });
    expect(Date.parse(body.resetsAt) % 86_400_000).to.equal(0);
    expect(Number(headers.get("retry-after"))).to.be.within(1, 86_400);
    expect((await snapshotScore({ client: agent.client })).mode).to.equal("recorded");
  });
});

describe("a service that pays no gas of others", function () {
  this.timeout(60_000);
  let stack: TestStack;
  const api = createRouteTester(() => stack);
  before(async () => {
    stack = await startTestStack({ env: { ARCADE_SPONSOR: "off" } });
  });
  after(() => stack.close());

  it("says so at the gates, and answers the self-paid call", async () => {
    expect((await api.expectSuccess("relays.gates")).body.sponsorship).to.deep.equal({ enabled: false });
    const agent = await createAgent(stack);
    await addEndedSession(stack, { wallet: agent.address, slug: SLUG, minScore: 1 });
    const token = await agent.getAccessToken();
    const { body } = await api.expectError("rewards.snapshot", "SPONSORSHIP_EXHAUSTED", {
      token,
      body: { sponsor: true },
    });
    expect(body).to.deep.include({ bound: null });
    expect(body.call).to.deep.include({ functionName: "snapshotScoreSigned" });
  });
});
