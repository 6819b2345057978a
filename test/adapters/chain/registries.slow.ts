/**
 * Reputation and Validation registries over the deployed AgentIdentity. Their doubles apply the rules of ERC-8004 and of
 * the published registries; what these ask of an identity registry, `RegistryCaller` asks in its own test.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbi,
} from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { developmentAccount, developmentServiceAccount } from "../../../backend/config/dev-keys.ts";
import { snapshotScore } from "../../../client/index.ts";
import { findGame } from "../../../games/index.ts";
import { command as replayCommand } from "../../../scripts/replay.ts";
import { command as verifyCommand } from "../../../scripts/verify.ts";
import { callCommand } from "../../helpers/commands.ts";
import { compileFixture } from "../../helpers/compile-fixture.ts";
import { waitForFeedback } from "../../helpers/feedback.ts";
import { createAgent, type Player } from "../../helpers/player.ts";
import { startTestStack, type TestStack } from "../../helpers/suite.ts";
import { sendCall } from "../../http/support/on-chain.ts";
import { addEndedSession } from "../../http/support/plant-session.ts";
import { createChainClient } from "./chain-fixture.ts";

const SLUG = "shellrunners";
const BLOCKS_UNTIL_FINAL = 128;
const NO_HASH = `0x${"00".repeat(32)}` as const;
const LARGEST = 10n ** 38n;
const ABI = parseAbi([
  "constructor(address identityRegistry)",
  "function setApprovalForAll(address operator, bool approved)",
  "function giveFeedback(uint256 agentId, int128 value, uint8 valueDecimals, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)",
  "function revokeFeedback(uint256 agentId, uint64 feedbackIndex)",
  "function getLastIndex(uint256 agentId, address clientAddress) view returns (uint64)",
  "function getClients(uint256 agentId) view returns (address[])",
  "function readFeedback(uint256 agentId, address clientAddress, uint64 feedbackIndex) view returns (int128, uint8, string, string, bool)",
  "function validationRequest(address validatorAddress, uint256 agentId, string requestURI, bytes32 requestHash)",
  "function validationResponse(bytes32 requestHash, uint8 response, string responseURI, bytes32 responseHash, string tag)",
  "function getValidationStatus(bytes32 requestHash) view returns (address, uint256, uint8, bytes32, string, uint256)",
  "error OwnAgent(uint256 agentId, address client)",
  "error ValueOutOfRange(int128 value, uint8 decimals)",
  "error NoSuchFeedback(uint64 index)",
  "error NotForAgent(uint256 agentId, address caller)",
  "error RequestRefused(bytes32 requestHash, address validator)",
  "error ResponseRefused(bytes32 requestHash, uint8 response, address caller)",
  "error ERC721NonexistentToken(uint256 tokenId)",
]);

/** The name of the error that a call is refused with. */
async function getRefusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    const revert =
      error instanceof BaseError ? error.walk((each) => each instanceof ContractFunctionRevertedError) : null;
    return (revert as ContractFunctionRevertedError | null)?.data?.errorName ?? String(error);
  }
  throw new Error("the call was not refused");
}

describe("ERC-8004 registries over AgentIdentity, by the rules of the standard", function () {
  this.timeout(300_000);
  const deployer = privateKeyToAccount(developmentAccount(0).privateKey);
  const friend = privateKeyToAccount(developmentAccount(1).privateKey);
  const operator = privateKeyToAccount(developmentServiceAccount(2).privateKey);
  const [reputation, validation] = [0n, 1n].map((nonce) => getContractAddress({ from: deployer.address, nonce })) as [
    Address,
    Address,
  ];
  let stack: TestStack;
  let chain: ReturnType<typeof createChainClient>;
  let player: Player;
  let owner: PrivateKeyAccount;
  let agentId: bigint;

  before(async () => {
    stack = await startTestStack({ env: { ARCADE_REPUTATION_REGISTRY: reputation } });
    chain = createChainClient(stack.chain.rpcUrl);
    for (const name of ["ReputationRegistry", "ValidationRegistry"]) {
      const bytecode = await compileFixture(name);
      const args = [stack.deployment.identity] as const;
      const hash = await chain.deployContract({ account: deployer, abi: ABI, bytecode, args });
      await chain.waitForTransactionReceipt({ hash });
    }
    player = await createAgent(stack);
    owner = privateKeyToAccount(player.privateKey);
    agentId = BigInt((await player.client.identity.ownershipStatus({ walletAddress: player.address })).agentId!);
  });
  after(() => stack.close());

  const allow = ({ address }: PrivateKeyAccount, by = player) => {
    const data = encodeFunctionData({ abi: ABI, functionName: "setApprovalForAll", args: [address, true] });
    return sendCall(by, { to: stack.deployment.identity, data });
  };
  const give = (account: PrivateKeyAccount, id = agentId, [value, decimals]: readonly [bigint, number] = [5n, 0]) => {
    const args = [id, value, decimals, "score", SLUG, "", "https://replays.example/", NO_HASH] as const;
    return chain.simulateContract({ address: reputation, abi: ABI, functionName: "giveFeedback", account, args });
  };
  const send = async (simulated: Promise<{ readonly request: object }>) =>
    chain.waitForTransactionReceipt({ hash: await chain.writeContract((await simulated).request as never) });
  const getLastIndex = (account: PrivateKeyAccount) =>
    chain.readContract({
      address: reputation,
      abi: ABI,
      functionName: "getLastIndex",
      args: [agentId, account.address],
    });

  it("the Reputation registry counts the feedback of each client, and takes it back from who gave it", async () => {
    await send(give(deployer));
    await send(give(deployer, agentId, [-LARGEST, 18]));
    await send(give(friend));
    expect([await getLastIndex(deployer), await getLastIndex(friend), await getLastIndex(owner)]).to.deep.equal([
      ...[2n, 1n, 0n],
    ]);
    const call = { address: reputation, abi: ABI } as const;
    expect(await chain.readContract({ ...call, functionName: "getClients", args: [agentId] })).to.deep.equal([
      deployer.address,
      friend.address,
    ]);
    const revoke = (account: PrivateKeyAccount, index: bigint) =>
      chain.simulateContract({ ...call, functionName: "revokeFeedback", account, args: [agentId, index] });
    await send(revoke(deployer, 2n));
    const read = await chain.readContract({
      ...call,
      functionName: "readFeedback",
      args: [agentId, deployer.address, 2n],
    });
    expect(read).to.deep.equal([-LARGEST, 18, "score", SLUG, true]);
    for (const [account, index] of [[deployer, 2n], [deployer, 3n], [friend, 0n], [owner, 1n]] as const) // biome-ignore format: a table
      expect(await getRefusal(revoke(account, index))).to.equal("NoSuchFeedback");
  });

  it("the Reputation registry refuses values out of range, agents that do not exist, and who may act for the agent", async () => {
    for (const value of [[LARGEST + 1n, 0], [-LARGEST - 1n, 0], [1n, 19]] as const) // biome-ignore format: a table
      expect(await getRefusal(give(deployer, agentId, value))).to.equal("ValueOutOfRange");
    expect(await getRefusal(give(deployer, 999n))).to.equal("ERC721NonexistentToken");
    expect(await getRefusal(give(owner))).to.equal("OwnAgent");
    await give(friend);
    await allow(friend);
    expect(await getRefusal(give(friend))).to.equal("OwnAgent");
  });

  it("the Validation registry takes requests of who may act for the agent, and answers of the validator that they name", async () => {
    const requestHash = `0x${"5a".repeat(32)}` as const;
    const call = { address: validation, abi: ABI } as const;
    const request = (account: PrivateKeyAccount, hash: Hex = requestHash, id = agentId) => {
      const args = [deployer.address, id, "https://replays.example/", hash] as const;
      return chain.simulateContract({ ...call, functionName: "validationRequest", account, args });
    };
    const respond = (account: PrivateKeyAccount, response: number) => {
      const args = [requestHash, response, "", NO_HASH, "replay"] as const;
      return chain.simulateContract({ ...call, functionName: "validationResponse", account, args });
    };
    expect(await getRefusal(request(deployer))).to.equal("NotForAgent");
    expect(await getRefusal(request(owner, requestHash, 999n))).to.equal("ERC721NonexistentToken");
    expect(await getRefusal(respond(deployer, 100))).to.equal("ResponseRefused");
    await allow(friend);
    await request(friend);
    await send(request(owner));
    expect(await getRefusal(request(owner))).to.equal("RequestRefused");
    expect(await getRefusal(respond(owner, 100))).to.equal("ResponseRefused");
    expect(await getRefusal(respond(deployer, 101))).to.equal("ResponseRefused");
    await send(respond(deployer, 0));
    await send(respond(deployer, 100));
    const [validator, id, response, , tag] = await chain.readContract({
      ...call,
      functionName: "getValidationStatus",
      args: [requestHash],
    });
    expect([validator, id, response, tag]).to.deep.equal([deployer.address, agentId, 100, "replay"]);
  });

  it("an agent that lets the operator act for it gets no score as feedback, and the others still get theirs", async () => {
    const minScore = findGame(SLUG)!.nft.tiers[0]!.minScore;
    const refused = await createAgent(stack, "Refused");
    await allow(operator, refused);
    // The latest run is looked at first.
    for (const { address, client } of [player, refused]) {
      const { sessionId } = await addEndedSession(stack, { wallet: address, slug: SLUG, minScore });
      await snapshotScore({ client, sessionId });
    }
    const before = (await waitForFeedback(chain, reputation, 0)).length;
    await chain.mine({ blocks: BLOCKS_UNTIL_FINAL });
    const all = await waitForFeedback(chain, reputation, before + 1);
    const published = all.filter(({ clientAddress }) => clientAddress === operator.address);
    expect(published.map((feedback) => [feedback.agentId, feedback.feedbackIndex])).to.deep.equal([[agentId, 1n]]);

    const folder = join(stack.dataDir, "replays");
    await mkdir(folder);
    const env = { ARCADE_DATA_DIR: stack.dataDir };
    await callCommand(replayCommand, ["export", "--to", folder, "--url", stack.httpUrl, "--json"], env);
    const args = ["--rpc", stack.chain.rpcUrl, "--rewards", stack.deployment.rewards, "--replays", folder];
    const { json, code, err } = await callCommand(verifyCommand, [...args, "--feedback", reputation, "--json"], env);
    expect(code, err).to.equal(0);
    expect(json.feedback.map(({ verdict }: { verdict: string }) => verdict)).to.deep.equal(["REPRODUCED"]);
  });
});
