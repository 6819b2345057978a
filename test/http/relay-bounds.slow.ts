import { expect } from "chai";
import { registerAgent, snapshotScore } from "../../client/flows.ts";
import { isApiError } from "../../client/index.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { startAnvilChain, startAppOnAnvil } from "../helpers/anvil-stack.ts";
import { sendRequest, useTestStack } from "../helpers/suite.ts";
import { createPoorPlayer } from "./support/poor-player.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const SLUG = "shellrunners";
const FIRST_TIER = 220;

describe("the bounds of relays", () => {
  const api = createRouteTester(() => stack);
  // Too little for an identity, enough for the first snapshot, but too little for an NFT or another snapshot.
  const env = { ARCADE_SPONSOR_GAS_PER_DAY: "170000", ARCADE_SPONSOR_GAS_PER_IDENTITY: "170000" };
  const stack = useTestStack({ env });
  const call = async (player: Player, body: object) => ({ token: await player.getAccessToken(), body });

  it("the gates state them, and what is left for the day", async () => {
    const { sponsorship } = (await api.expectSuccess("relays.gates")).body;
    expect(sponsorship).to.deep.include({
      enabled: true,
      gasPerDay: 170_000,
      mintGasPerDay: 85_000,
      gasPerIdentity: 170_000,
      gasPerAddress: null,
      mintsPerWallet: 1,
      left: { gas: 170_000, mintGas: 85_000 },
    });
    expect(Date.parse(sponsorship.resetsAt) % 86_400_000).to.equal(0);
  });

  it("an identity beyond them is rejected with the call that the wallet can send itself", async () => {
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

  it("once the day's gas is used up, snapshot and NFT are rejected with calls that the wallet can send", async () => {
    const agent = await createAgent(stack);
    const addRun = (minScore: number) => addEndedSession(stack, { wallet: agent.address, slug: SLUG, minScore });
    await addRun(FIRST_TIER);
    await snapshotScore({ client: agent.client, sponsor: true });
    const nft = await api.expectError("nft.prepare", "SPONSORSHIP_EXHAUSTED", {
      ...(await call(agent, { sponsor: true })),
      params: { slug: SLUG },
    });
    expect(nft.body.bound).to.equal("gasPerDay");
    expect(nft.body.call).to.deep.include({ functionName: "mintSigned" });
    const { txHash } = await agent.wallet.sendCall(nft.body.call);
    expect((await agent.wallet.waitForReceipt(txHash)).status).to.equal("success");

    await addRun(1);
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

describe("a service without a setting of who pays gas", () => {
  for (const [chainId, enabled] of [
    [31337, true],
    [84532, false],
  ] as const)
    it(`${enabled ? "pays" : "pays nothing"} on chain ${chainId}`, async () => {
      const anvil = await startAnvilChain(chainId);
      try {
        const app = await startAppOnAnvil(anvil);
        try {
          const { body } = await sendRequest(app.httpUrl, "GET", "/api/gates");
          expect(body.sponsorship.enabled).to.equal(enabled);
        } finally {
          await app.close();
        }
      } finally {
        await anvil.close();
      }
    });
});

describe("a service whose operator has signed all calls of its day", () => {
  const api = createRouteTester(() => stack);
  const stack = useTestStack({ env: { ARCADE_OPERATOR_CALLS_PER_DAY: "1" } });

  it("rejects a relay with the call that the wallet can send itself, and reports when it continues", async () => {
    const agent = await createAgent(stack);
    const addRun = () => addEndedSession(stack, { wallet: agent.address, slug: SLUG, minScore: 1 });
    await addRun();
    expect((await snapshotScore({ client: agent.client, sponsor: true })).mode).to.equal("recorded");
    await addRun();
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

describe("a service that does not pay others' gas", () => {
  const api = createRouteTester(() => stack);
  const stack = useTestStack({ env: { ARCADE_SPONSOR: "off" } });

  it("reports it at the gates, and answers the self-paid call", async () => {
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
