import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import { type Address, encodeFunctionData, type Hex, keccak256, type PrivateKeyAccount, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { ContractWatch } from "../../../backend/adapters/chain/facts/contract-watch.ts";
import { createFacts } from "../../../backend/adapters/chain/facts/facts.ts";
import type { Indexer } from "../../../backend/adapters/chain/indexer/indexer.ts";
import { createReader } from "../../../backend/adapters/chain/reader/reader.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { ChainFacts, ChainReader } from "../../../backend/ports/chain.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { type ChaosNode, type Intercept, startChaosNode } from "../../../testing/chaos/node.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { createTestRpc, silentLog, startTestIndexer, testKeys, useChain } from "./chain-fixture.ts";

const ABI = parseAbi([
  "function transferFrom(address from, address to, uint256 tokenId)",
  "function setPrimaryIdentity(uint256 agentId)",
  "function setAgentURI(uint256 agentId, string newURI)",
  "function setBaseURI(string newBaseURI)",
  "struct Session { address wallet; bytes32 gameSessionHash; }",
  "struct Points { address wallet; uint256 points; }",
  "function annul(uint256[] tokenIds)",
  "function cancelSessions(Session[] list)",
  "function restoreSessions(Session[] list)",
  "function voidPoints(Points[] list)",
  "function restorePoints(Points[] list)",
  "function setCaps(uint256 dailyCap, uint256 weeklyCap)",
  "function setMaxPayout(uint256 newMax)",
  "function withdraw(address to, uint256 amount)",
  "function pause()",
  "function unpause()",
]);
const slug = "shellrunners";
const TOKEN = 10n ** 18n;
const ADMIN = privateKeyToAccount(testKeys.admin);
const GUARDIAN = privateKeyToAccount(testKeys.guardian);

describe("facts of the chain", () => {
  const fixture = useChain();
  let node: ChaosNode;
  let store: Store;
  let indexer: Indexer;
  let facts: ChainFacts;
  let reader: ChainReader;
  let alice: PrivateKeyAccount;
  let bob: PrivateKeyAccount;

  before(async () => {
    node = await startChaosNode({ to: fixture.rpcUrl });
    [alice, bob] = fixture.players as [PrivateKeyAccount, PrivateKeyAccount];
    store = await openMemoryStore();
    const { deployment } = fixture;
    const watch = new ContractWatch({ rpc: createTestRpc(node.url), deployment, log: silentLog });
    indexer = startTestIndexer(node.url, deployment, store);
    indexer.onIndexed((head) => watch.update(head));
    facts = createFacts({ deployment, store, watch, clock: systemClock });
    reader = createReader({ rpc: createTestRpc(fixture.rpcUrl), deployment });
  });
  after(async () => {
    await indexer.stop();
    await store.close();
    await node.close();
  });

  type Call = Parameters<typeof encodeFunctionData<typeof ABI>>[0];
  const send = (from: PrivateKeyAccount, to: Address, functionName: string, args: readonly unknown[]): Promise<Hex> =>
    fixture.client.sendTransaction({
      account: from,
      to,
      data: encodeFunctionData({ abi: ABI, functionName, args } as Call),
    });
  const toSessionHash = (wallet: Address, sequence: number): Hex =>
    `0x${keccak256(wallet).slice(2, 50)}${sequence.toString(16).padStart(16, "0")}`;

  /** All facts, read from one source. */
  async function readAll(
    source: Omit<ChainFacts, "getPresentTime" | "getNextBlockTime" | "listIdentities" | "listPaused">,
    countOwned: (wallet: Address) => Promise<number>,
  ): Promise<unknown> {
    const wallets = [...fixture.players.slice(0, 3).map(({ address }) => address), ADMIN.address];
    const { asOf: _, ...rewards } = await source.getRewardsState();
    return {
      rewards,
      token: await source.getTokenInfo(),
      wallets: await Promise.all(
        wallets.map(async (wallet) => {
          const { asOf: __, ...readiness } = await source.getReadiness(wallet);
          return {
            primary: await source.getPrimaryIdentity(wallet),
            count: await countOwned(wallet),
            consumed: await Promise.all(
              [1, 2, 3, 4, 5].map((sequence) => source.isSessionConsumed(wallet, toSessionHash(wallet, sequence))),
            ),
            readiness,
          };
        }),
      ),
      identities: await Promise.all([1n, 2n, 3n, 4n].map((agentId) => source.getIdentity(agentId))),
      nfts: await Promise.all([1n, 2n, 3n].map((tokenId) => source.getGameNft(slug, tokenId))),
    };
  }
  const readFacts = () => readAll(facts, async (wallet) => (await facts.listIdentities(wallet)).length);
  const readNode = () => readAll(reader, async (wallet) => Number(await reader.getIdentityCount(wallet)));
  async function expectEqual(name: string): Promise<void> {
    expect(await indexer.waitForHead(20_000), name).to.equal(true);
    // A second may pass between the two reads, so that they have different times.
    for (let attempt = 0; attempt < 20; attempt++) {
      if (isDeepStrictEqual(await readFacts(), await readNode())) return;
      await indexer.waitForHead(20_000);
    }
    expect(await readFacts(), name).to.deep.equal(await readNode());
  }

  it("equal the contracts' state after each change", async () => {
    const { actions, deployment, client } = fixture;
    const { identity, rewards, nft } = deployment;
    const collection = nft[slug]!;
    const session = { wallet: alice.address, gameSessionHash: toSessionHash(alice.address, 3) };
    const takeAndGive = (points: bigint) => [[{ wallet: alice.address, points }]];
    const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
      ["nothing", async () => {}],
      ["registrations", () => actions.register(alice)],
      ["a second registration", () => actions.register(bob)],
      ["a snapshot", () => actions.snapshot(alice, slug, 150, 1)],
      ["time before the cooldown's end", () => client.increaseTime({ seconds: 1 })],
      ["the cooldown's end", () => client.increaseTime({ seconds: 6 })],
      ["a payout", () => actions.payout(alice)],
      ["a snapshot after it", () => actions.snapshot(alice, slug, 90, 2)],
      ["a cancelled session", () => send(GUARDIAN, rewards, "cancelSessions", [[session]])],
      ["a restored session", () => send(ADMIN, rewards, "restoreSessions", [[session]])],
      ["voided points", () => send(GUARDIAN, rewards, "voidPoints", takeAndGive(60n))],
      ["restored points", () => send(ADMIN, rewards, "restorePoints", takeAndGive(20n))],
      ["a score above the bound of one session", () => actions.snapshot(bob, slug, 20_000_000, 4)],
      [
        "all its points voided",
        () => send(GUARDIAN, rewards, "voidPoints", [[{ wallet: bob.address, points: 2n ** 90n }]]),
      ],
      ["a token of a game", () => actions.nft("mint", alice, slug, 1n, 250)],
      ["its upgrade", () => actions.nft("upgrade", alice, slug, 1n, 950)],
      ["its transfer", () => send(alice, collection, "transferFrom", [alice.address, bob.address, 1n])],
      ["its annulment", () => send(GUARDIAN, collection, "annul", [[1n]])],
      ["an URI", () => send(alice, identity, "setAgentURI", [1n, "https://example.org/agent.json"])],
      [
        "an URI that is too long",
        () => send(bob, identity, "setAgentURI", [2n, `https://example.org/${"a".repeat(9_000)}`]),
      ],
      ["another base", () => send(ADMIN, identity, "setBaseURI", ["https://example.org/metadata/"])],
      ["a third identity", () => actions.register(fixture.players[2]!)],
      [
        "an identity that was given away",
        () => send(fixture.players[2]!, identity, "transferFrom", [fixture.players[2]!.address, bob.address, 3n]),
      ],
      ["another primary identity", () => send(bob, identity, "setPrimaryIdentity", [3n])],
      ["a pause", () => send(GUARDIAN, rewards, "pause", [])],
      ["time in it", () => client.increaseTime({ seconds: 100 })],
      ["its end", () => send(ADMIN, rewards, "unpause", [])],
      ["a second one soon after it", () => send(GUARDIAN, rewards, "pause", [])],
      ["the end of the second", () => send(ADMIN, rewards, "unpause", [])],
      ["a lower bound", () => send(GUARDIAN, rewards, "setMaxPayout", [20n * TOKEN])],
      ["lower caps", () => send(GUARDIAN, rewards, "setCaps", [170n * TOKEN, 180n * TOKEN])],
      ["time", () => client.increaseTime({ seconds: 10 })],
      ["a day's cap that is used up", () => send(GUARDIAN, rewards, "setCaps", [100n * TOKEN, 180n * TOKEN])],
      ["a week's cap that is used up", () => send(GUARDIAN, rewards, "setCaps", [100n * TOKEN, 100n * TOKEN])],
      ["the next day", () => client.increaseTime({ seconds: 86_400 })],
      [
        "an empty float",
        async () => send(ADMIN, rewards, "withdraw", [bob.address, (await reader.getRewardsState()).float]),
      ],
      ["the next week", () => client.increaseTime({ seconds: 7 * 86_400 })],
    ];
    for (const [name, run] of steps) {
      await run();
      await expectEqual(name);
    }
  });

  it("have the primary identity at a past block", async () => {
    const head = Number(await fixture.client.getBlockNumber());
    for (let block = head - 25; block <= head; block++)
      expect(await facts.getPrimaryIdentityAt(bob.address, block), `block ${block}`).to.equal(
        await reader.getPrimaryIdentityAt(bob.address, block),
      );
  });

  it("are known while the node is unavailable", async () => {
    const before = await readFacts();
    const cut: Intercept = (request) => ({ id: request.id, error: { code: -32_000, message: "away" } });
    node.intercept(cut);
    const calls = node.calls.length;
    await indexer.stop();
    const polled = node.calls.length - calls;
    for (let count = 0; count < 3; count++) expect(await readFacts()).to.deep.equal(before);
    expect(node.calls.length - calls).to.equal(polled);
  });
});
