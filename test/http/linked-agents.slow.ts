/** Agents of another ERC-8004 Identity registry, linked to the profiles of wallets that hold them on chain. */
import { expect } from "chai";
import { type Address, getContractAddress, type Hex, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { linkAgent } from "../../client/index.ts";
import { createLinkAgent } from "../../domain/linked-agent.ts";
import { createChainClient, waitFor } from "../adapters/chain/chain-fixture.ts";
import { compileFixture } from "../helpers/compile-fixture.ts";
import { createAgent, createPlayer, type Player } from "../helpers/player.ts";
import { useTestStack } from "../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "./support/cut-chain.ts";
import { addEndedSession, withStore } from "./support/plant-session.ts";
import { ShiftClock } from "./support/shift-clock.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const SLUG = "shellrunners";
const AGENTS_ABI = parseAbi([
  "function setOwner(uint256 agentId, address owner)",
  "function setAgentWallet(uint256 agentId, address wallet)",
]);

describe("agents of another registry", function () {
  this.timeout(300_000);
  const deployer = privateKeyToAccount(developmentAccount(0).privateKey);
  const agents = getContractAddress({ from: deployer.address, nonce: 0n });
  const clock = new ShiftClock();
  let owner: Player;
  let other: Player;
  let chain: ReturnType<typeof createChainClient>;
  const api = createRouteTester(() => stack);
  // `NOT_FOUND`, of a service that links none: test/http/node-free.test.ts.
  const stack = useTestStack({ clock, env: { ARCADE_AGENT_REGISTRY: agents } }, closeWithoutChain);
  before(async () => {
    chain = createChainClient(stack.chain.rpcUrl);
    const bytecode = await compileFixture("IdentityRegistry");
    const hash = await chain.deployContract({ account: deployer, abi: [], bytecode });
    await chain.waitForTransactionReceipt({ hash });
    [owner, other] = [await createAgent(stack, "Pinch"), await createAgent(stack, "Snap")];
    await give(22n, owner.address);
  });
  api.checkCodesAfterAll(["identity.linkAgent", "identity.unlinkAgent"], ["identity.linkAgent: NOT_FOUND"]);

  const write = async (functionName: "setOwner" | "setAgentWallet", agentId: bigint, account: Address) => {
    const call = { address: agents, abi: AGENTS_ABI, functionName, args: [agentId, account] } as const;
    await chain.waitForTransactionReceipt({ hash: await chain.writeContract({ account: deployer, ...call }) });
  };
  const give = (agentId: bigint, account: Address) => write("setOwner", agentId, account);
  const getProfile = async ({ address }: Player) =>
    (await api.expectSuccess("identity.profileGet", { body: { walletAddress: address } })).body.profile;
  /** The request of a link, signed by `signer`. */
  async function sign(fields: Partial<Record<"agentId" | "deadline" | "agentRegistry", string>> = {}, signer = owner) {
    const deadline = String(Math.floor(clock.nowMs() / 1000) + 600);
    const link = { agentRegistry: agents, agentId: "22", deadline, ...fields } as const;
    const data = createLinkAgent(stack.deployment, {
      ...link,
      wallet: owner.address,
      agentRegistry: link.agentRegistry as Hex,
    });
    return {
      token: await owner.getAccessToken(),
      body: { ...link, signature: await signer.wallet.signTypedData!(data) },
    };
  }

  it("are linked by the signature of the wallet that owns them on chain, and stand in profile and metadata", async () => {
    const nowMs = clock.nowMs();
    const profile = await linkAgent({ client: owner.client, agentRegistry: agents, agentId: "22", nowMs });
    const linked = { agentId: "22", agentRegistry: `eip155:31337:${agents}` };
    expect(profile.linkedAgent).to.deep.equal(linked);
    expect((await getProfile(owner)).linkedAgent).to.deep.equal(linked);
    const { body } = await api.expectSuccess("identity.profileMetadata", {
      token: await owner.getAccessToken(),
      body: {},
    });
    expect(body.metadata.registrations).to.deep.equal([
      { agentId: Number(profile.agentId), agentRegistry: `eip155:31337:${stack.deployment.identity}` },
      { agentId: 22, agentRegistry: `eip155:31337:${agents}` },
    ]);
  });

  it("keep every digit of an id that no JavaScript number holds", async () => {
    const agentId = String(2n ** 256n - 1n);
    const player = await createAgent(stack, "Digit");
    await give(BigInt(agentId), player.address);
    const nowMs = clock.nowMs();
    const profile = await linkAgent({ client: player.client, agentRegistry: agents, agentId, nowMs });
    expect(profile.linkedAgent?.agentId).to.equal(agentId);
    const { metadata } = await player.client.identity.profileMetadata({});
    expect(metadata.registrations).to.deep.include({ agentId, agentRegistry: `eip155:31337:${agents}` });
    const { profile: unlinked } = await player.client.identity.unlinkAgent({});
    expect(unlinked.linkedAgent).to.equal(null);
  });

  it("are rejected without the wallet's own signature, its agent, this registry, or time", async () => {
    await give(23n, other.address);
    await api.expectError("identity.linkAgent", "AGENT_NOT_HELD", await sign({ agentId: "23" }));
    await api.expectError("identity.linkAgent", "AGENT_NOT_HELD", await sign({ agentId: "999" }));
    await api.expectError("identity.linkAgent", "SIGNATURE_INVALID", await sign({}, other));
    const signed = await sign();
    const changed = { ...signed, body: { ...signed.body, agentId: "23" } };
    await api.expectError("identity.linkAgent", "SIGNATURE_INVALID", changed);
    await api.expectError(
      "identity.linkAgent",
      "CONTRACT_MISMATCH",
      await sign({ agentRegistry: stack.deployment.identity }),
    );
    const nowSeconds = Math.floor(clock.nowMs() / 1000);
    for (const deadline of [nowSeconds - 60, nowSeconds + 2 * 3600])
      await api.expectError("identity.linkAgent", "MESSAGE_EXPIRED", await sign({ deadline: String(deadline) }));
    const token = await (await createPlayer(stack)).getAccessToken();
    await api.expectError("identity.linkAgent", "IDENTITY_REQUIRED", { ...signed, token });
    await api.expectError("identity.unlinkAgent", "IDENTITY_REQUIRED", { token, body: {} });
    const tooLarge = { ...signed, body: { ...signed.body, agentId: String(2n ** 256n) } };
    await api.expectError("identity.linkAgent", "VALIDATION_FAILED", tooLarge);
  });

  it("stand beside their wallet's name in the leaderboard", async () => {
    for (const { address } of [owner, other]) {
      const row = await addEndedSession(stack, { wallet: address, slug: SLUG, minScore: 10 });
      await withStore(stack, ({ sessions }) => sessions.setVerification(row.sessionId, "verified"));
    }
    const { body } = await stack.request("GET", `/api/leaderboard?game=${SLUG}`);
    const shown = new Map(body.items.map((row: (typeof body.items)[0]) => [row.walletAddress, row.linkedAgent]));
    expect(shown.get(owner.address)).to.deep.equal({ agentId: "22", agentRegistry: `eip155:31337:${agents}` });
    expect(shown.get(other.address)).to.equal(null);
  });

  it("belong to the wallet that linked them last, also as the wallet that acts for them", async () => {
    await write("setAgentWallet", 22n, other.address);
    const nowMs = clock.nowMs();
    const profile = await linkAgent({ client: other.client, agentRegistry: agents, agentId: "22", nowMs });
    expect(profile.linkedAgent?.agentId).to.equal("22");
    expect((await getProfile(owner)).linkedAgent).to.equal(null);
  });

  it("are no longer shown within a minute after they were given away, or at once by the wallet's own wish", async () => {
    await give(24n, owner.address);
    await api.expectSuccess("identity.linkAgent", await sign({ agentId: "24" }));
    await give(24n, deployer.address);
    clock.advance(61_000);
    await chain.mine({ blocks: 1 });
    await waitFor(async () => (await getProfile(owner)).linkedAgent === null);
    expect((await getProfile(other)).linkedAgent?.agentId, "the others stay").to.equal("22");
    const { body } = await api.expectSuccess("identity.unlinkAgent", { token: await other.getAccessToken(), body: {} });
    expect(body.profile.linkedAgent).to.equal(null);
    expect((await getProfile(other)).linkedAgent).to.equal(null);
  });

  it("are not linked while the chain is away", async () => {
    const signed = await sign();
    await stopChain(stack);
    await api.expectError("identity.linkAgent", "CHAIN_UNAVAILABLE", signed);
  });
});
