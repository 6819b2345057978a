/** Scores as feedback in an ERC-8004 Reputation registry: published when a tier rises, and derived again from chain and files. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { getContractAddress, type Hex, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { developmentAccount, developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { snapshotScore } from "../../client/index.ts";
import { encodeFeedback } from "../../domain/feedback.ts";
import { findGame } from "../../games/index.ts";
import { command as replayCommand } from "../../scripts/replay.ts";
import { command as verifyCommand } from "../../scripts/verify.ts";
import { createChainClient } from "../adapters/chain/chain-fixture.ts";
import { callCommand } from "../helpers/commands.ts";
import { compileFixture } from "../helpers/compile-fixture.ts";
import { waitForFeedback as waitForPublished } from "../helpers/feedback.ts";
import { createAgent, type Player } from "../helpers/player.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { addEndedSession } from "../http/support/plant-session.ts";

const SLUG = "shellrunners";
const REGISTRY_ABI = parseAbi(["constructor(address identityRegistry)"]);
const BLOCKS_UNTIL_FINAL = 128;

describe("scores as feedback in a Reputation registry", function () {
  this.timeout(300_000);
  const deployer = privateKeyToAccount(developmentAccount(0).privateKey);
  const registry = getContractAddress({ from: deployer.address, nonce: 0n });
  const [first, second] = findGame(SLUG)!.nft.tiers.map(({ minScore }) => minScore) as [number, number];
  let stack: TestStack;
  let player: Player;
  let client: ReturnType<typeof createChainClient>;
  let folder: string;
  before(async () => {
    stack = await startTestStack({ env: { ARCADE_REPUTATION_REGISTRY: registry } });
    client = createChainClient(stack.chain.rpcUrl);
    const hash = await client.deployContract({
      account: deployer,
      abi: REGISTRY_ABI,
      bytecode: await compileFixture("ReputationRegistry"),
      args: [stack.deployment.identity],
    });
    expect((await client.waitForTransactionReceipt({ hash })).contractAddress).to.equal(registry.toLowerCase());
    player = await createAgent(stack);
    folder = join(stack.dataDir, "replays");
  });
  after(() => stack.close());

  async function snapshot(minScore: number): Promise<SessionRow> {
    const row = await addEndedSession(stack, { wallet: player.address, slug: SLUG, minScore });
    await snapshotScore({ client: player.client, sessionId: row.sessionId });
    await client.mine({ blocks: BLOCKS_UNTIL_FINAL });
    return row;
  }
  const waitForFeedback = (count: number) => waitForPublished(client, registry, count);
  async function verify(...selection: readonly string[]) {
    const env = { ARCADE_DATA_DIR: stack.dataDir };
    await mkdir(folder, { recursive: true });
    await callCommand(replayCommand, ["export", "--to", folder, "--url", stack.httpUrl, "--json"], env);
    const chain = ["--rpc", stack.chain.rpcUrl, "--rewards", stack.deployment.rewards];
    return callCommand(
      verifyCommand,
      [...chain, "--replays", folder, "--feedback", registry, ...selection, "--json"],
      env,
    );
  }

  it("publishes the best score of a tier once, with the replay's address and digest, and again when the tier rises", async () => {
    const row = await snapshot(first);
    const [published] = await waitForFeedback(1);
    expect(published).to.include({
      clientAddress: developmentServiceAccount(2).address,
      value: BigInt(row.score),
      valueDecimals: 0,
      tag1: "score",
      tag2: SLUG,
      feedbackHash: row.replayDigest,
    });
    expect(published!.feedbackURI).to.match(new RegExp(`/api/replays/${row.gameSessionHash}$`));
    expect(published!.agentId.toString()).to.equal(row.agentId);
    const better = await snapshot(first + 20);
    expect(better.score).to.be.below(second);
    const highest = await snapshot(second);
    const feedback = await waitForFeedback(2);
    expect(feedback.map(({ value }) => Number(value))).to.deep.equal([row.score, highest.score]);
  });

  it("derives every published score again", async () => {
    const { code, json, err } = await verify();
    expect(code, err).to.equal(0);
    expect(json.feedback.map(({ verdict }: { verdict: string }) => verdict)).to.deep.equal([
      "REPRODUCED",
      "REPRODUCED",
    ]);
  });

  it("leaves out feedback of scores that are not selected", async () => {
    const block = (json: { scores: { event: { block: number } }[] }, at: number) =>
      String(json.scores.at(at)!.event.block);
    const { json: all } = await verify();
    const selections = [
      [2, "--wallet", player.address],
      [0, "--wallet", deployer.address],
      [1, "--to", block(all, 0)],
      [1, "--from", block(all, -1)],
    ] as const;
    for (const [count, ...selection] of selections) {
      const { code, json, err } = await verify(...selection);
      expect(code, `${selection.join(" ")} ${err}`).to.equal(0);
      const verdicts = json.feedback.map(({ verdict }: { verdict: string }) => verdict);
      expect(verdicts, selection.join(" ")).to.deep.equal(Array(count).fill("REPRODUCED"));
    }
  });

  it("finds a published score that is not the run's own, and ignores what others say", async () => {
    const [published] = await waitForFeedback(2);
    const gameSessionHash = published!.feedbackURI.slice(-66) as Hex;
    const feedback = {
      agentId: published!.agentId.toString(),
      slug: SLUG,
      gameSessionHash,
      replayDigest: published!.feedbackHash,
    };
    const data = encodeFeedback({ ...feedback, score: 999_999 }, stack.httpUrl);
    await client.sendTransaction({ account: deployer, to: registry, data });
    expect((await verify()).json.feedback).to.have.length(2);
    const operator = privateKeyToAccount(developmentServiceAccount(2).privateKey);
    await client.sendTransaction({ account: operator, to: registry, data });
    const { code, json } = await verify();
    expect(code).to.equal(5);
    const last = json.feedback.at(-1);
    expect(last.verdict).to.equal("DIVERGED");
    expect(last.reason).to.include("value");
    const again = encodeFeedback({ ...feedback, score: Number(published!.value) }, stack.httpUrl);
    await client.sendTransaction({ account: operator, to: registry, data: again });
    const fallen = (await verify()).json.feedback.at(-1);
    expect(fallen.verdict).to.equal("DIVERGED");
    expect(fallen.reason).to.include("was published after tier");
  });

  it("says of a published score whose replay is gone that it cannot be derived", async () => {
    await writeFile(join(folder, "index.json"), "{}");
    const empty = join(stack.dataDir, "empty");
    await mkdir(empty);
    const chain = ["--rpc", stack.chain.rpcUrl, "--rewards", stack.deployment.rewards, "--replays", empty];
    const { json } = await callCommand(verifyCommand, [...chain, "--feedback", registry, "--json"]);
    expect(json.feedback[0].verdict).to.equal("CANNOT_RECOMPUTE");
  });
});
