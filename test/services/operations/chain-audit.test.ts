import Database from "better-sqlite3";
import { expect } from "chai";
import { encodeFunctionData, parseAbi } from "viem";
import type { Indexer } from "../../../backend/adapters/chain/indexer/indexer.ts";
import { createReader } from "../../../backend/adapters/chain/reader/reader.ts";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import type { Log } from "../../../backend/ports/system.ts";
import { ChainAudit } from "../../../backend/services/operations/chain-audit.ts";
import { type ChaosNode, startChaosNode } from "../../../testing/chaos/node.ts";
import {
  createTestRpc,
  silentLog,
  startChainFixture,
  startTestIndexer,
  waitFor,
} from "../../adapters/chain/chain-fixture.ts";
import { createTempDatabase } from "../../adapters/store/suite.ts";
import { useShared } from "../../helpers/fixture.ts";
import { TestClock } from "../../helpers/test-clock.ts";

const ABI = parseAbi([
  "function transferFrom(address from, address to, uint256 tokenId)",
  "function setPrimaryIdentity(uint256 agentId)",
]);
const slug = "shellrunners";

describe("the audit of the stored events", () => {
  let node: ChaosNode;
  let database: ReturnType<typeof createTempDatabase>;
  let store: Store;
  let indexer: Indexer;
  let lines: object[];
  let audit: ChainAudit;

  const fixture = useShared(startChainFixture);
  before(async () => {
    const [alice, bob] = fixture.players;
    for (const player of fixture.players) await fixture.actions.register(player);
    for (let sequence = 1; sequence <= 4; sequence++)
      await fixture.actions.snapshot(alice!, slug, 100 + sequence, sequence);
    await fixture.client.increaseTime({ seconds: 6 });
    await fixture.actions.payout(alice!);
    await fixture.actions.snapshot(alice!, slug, 50, 5);
    await fixture.actions.snapshot(bob!, slug, 70, 1);
    // Bob gets a second identity and uses it.
    const send = (from: typeof alice, data: `0x${string}`) =>
      fixture.client.sendTransaction({ account: from!, to: fixture.deployment.identity, data });
    const [from, to] = [fixture.players[2]!.address, bob!.address];
    await send(
      fixture.players[2],
      encodeFunctionData({ abi: ABI, functionName: "transferFrom", args: [from, to, 3n] }),
    );
    await send(bob, encodeFunctionData({ abi: ABI, functionName: "setPrimaryIdentity", args: [3n] }));
    await fixture.client.mine({ blocks: 3 });
  });

  beforeEach(async () => {
    node = await startChaosNode({ to: fixture.rpcUrl });
    database = createTempDatabase();
    store = await openStore({ databaseUrl: database.databaseUrl });
    lines = [];
  });
  afterEach(async () => {
    await indexer.stop();
    await store.close();
    await node.close();
    database.remove();
  });

  /** Indexes the chain up to its head. */
  async function start(): Promise<void> {
    const { deployment } = fixture;
    indexer = startTestIndexer(node.url, deployment, store);
    expect(await indexer.waitForBlock(Number(await fixture.client.getBlockNumber()), 20_000)).to.equal(true);
    const log: Log = { ...silentLog, error: (fields) => lines.push(fields as object) };
    const index = { getHead: () => indexer.head, getFinality: () => indexer.finality };
    const chain = createReader({ rpc: createTestRpc(node.url), deployment });
    audit = new ChainAudit({ store, chain, index, clock: new TestClock(), log });
  }
  function onFile<T>(run: (file: Database.Database) => T): T {
    const file = new Database(database.file);
    try {
      return run(file);
    } finally {
      file.close();
    }
  }
  const findBlock = (condition: string) =>
    onFile((file) => file.prepare(`select block from chain_events where ${condition}`).pluck().get() as number);
  /** Removes one event, as if a lying node or an older version of the program had left it out. */
  function removeEvent(condition: string): number {
    const block = findBlock(condition);
    const remove = `delete from chain_events where ${condition}`;
    expect(onFile((file) => file.prepare(remove).run().changes)).to.equal(1);
    return block;
  }
  const readEvents = async () =>
    (await store.chain.listEventKeys(0, Number(await fixture.client.getBlockNumber()))).map((key) => ({ ...key }));

  it("finds no difference if nothing is missing", async () => {
    await start();
    await audit.run();
    expect(audit.findProblem()).to.equal(null);
    expect(audit.differences).to.equal(0);
  });

  // `before`: the wallet's event before the missing one, from whose block on the chain is read again.
  for (const [name, condition, before] of [
    ["a snapshot before a payout", "name = 'ScoreSnapshot' and sequence like '%2' and score like '%102'", "%101"],
    ["a wallet's last snapshot", "name = 'ScoreSnapshot' and score like '%50'", null],
    ["the only snapshot of a wallet", "name = 'ScoreSnapshot' and score like '%70'", null],
    ["a payout", "name = 'Payout'", "%104"],
    ["the choice of a primary identity", "name = 'PrimaryIdentitySet' and token_id like '%3'", null],
    ["a registration", "name = 'Registered' and token_id like '%2'", null],
  ] as const) {
    it(`reports that ${name} is missing, and recovers after the blocks were read again`, async () => {
      await start();
      const complete = await readEvents();
      const block = removeEvent(condition);
      await audit.run();
      const problem = audit.findProblem()!;
      expect(problem).to.match(/npm run admin -- chain resync --from \d+$/);
      const from = Number(/--from (\d+)/.exec(problem)![1]);
      expect(from).to.be.at.most(block);
      if (before !== null) expect(from).to.equal(findBlock(`name = 'ScoreSnapshot' and score like '${before}'`));
      const logged = lines.length;
      expect(logged).to.be.greaterThan(0);
      await audit.run();
      expect(lines.length).to.equal(logged);

      await store.chain.rewind(from - 1);
      await waitFor(async () => (await readEvents()).length === complete.length);
      expect(await readEvents()).to.deep.equal(complete);
      await audit.run();
      expect(audit.findProblem()).to.equal(null);
    });
  }

  it("reports events that a node never returns", async () => {
    node.intercept(({ method }, response) => {
      if (method !== "eth_getLogs") return response;
      const logs = response.result as readonly { readonly address: string }[];
      const rewards = fixture.deployment.rewards.toLowerCase();
      return { ...response, result: logs.filter(({ address }) => address.toLowerCase() !== rewards) };
    });
    await start();
    await audit.run();
    expect(audit.differences).to.be.greaterThan(0);
    expect(audit.findProblem()).to.match(/of (0x|all wallets)/);
  });

  it("compares nothing during a reorganization", async () => {
    await start();
    removeEvent("name = 'Payout'");
    const { chain } = store;
    const reorganized = {
      ...store,
      chain: { ...chain, findBlock: async () => ({ number: 1, hash: "0x00" as const }) },
    };
    const index = { getHead: () => indexer.head, getFinality: () => indexer.finality };
    const reader = createReader({ rpc: createTestRpc(node.url), deployment: fixture.deployment });
    audit = new ChainAudit({ store: reorganized, chain: reader, index, clock: new TestClock(), log: silentLog });
    await audit.run();
    expect(audit.findProblem()).to.equal(null);
  });
});
