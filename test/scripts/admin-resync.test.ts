import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "chai";
import { command } from "../../scripts/admin.ts";
import { addEndedSession, withStore } from "../../testing/ended-session.ts";
import { openMemoryStore } from "../../testing/images.ts";
import { createAgent } from "../../testing/player.ts";
import { startTestIndexer, waitFor } from "../adapters/chain/chain-fixture.ts";
import { callCommand } from "../helpers/commands.ts";
import { useShared } from "../helpers/fixture.ts";
import { useTestStack } from "../helpers/suite.ts";

const DERIVED_TABLES = {
  chain_events: "position",
  chain_totals: "block",
  scorebanks: "position",
} as const;

describe("npm run admin -- chain resync", () => {
  const stack = useTestStack();
  const player = useShared(() => createAgent(stack));
  before(async () => {
    for (let count = 0; count < 3; count++) {
      await addEndedSession(stack, { wallet: player.address, minScore: 20 });
      const snapshot = await player.client.rewards.snapshot({});
      if (snapshot.mode !== "sign") throw new Error(snapshot.mode);
      const { txHash } = await player.wallet.sendCall(snapshot.call);
      await player.wallet.waitForReceipt(txHash);
    }
    await waitFor(async () => (await player.client.rewards.scorebank({})).snapshots === 3);
  });

  const resync = (...args: readonly string[]) =>
    callCommand(command, ["chain", "resync", ...args, "--json"], {
      ARCADE_DATA_DIR: stack.dataDir,
      ARCADE_RPC_URL: stack.chain.rpcUrl,
      NO_COLOR: "1",
    });
  const open = () => new Database(join(stack.dataDir, "arcade.db"));
  function readRows(file = open()): string {
    try {
      const tables = Object.entries(DERIVED_TABLES).map(([table, order]) =>
        file.prepare(`select * from ${table} order by ${order}`).all(),
      );
      return JSON.stringify(tables);
    } finally {
      file.close();
    }
  }

  it("does not run without a block, or with one that is not indexed", async () => {
    for (const args of [[], ["--from", "last"], ["--from", "-1"]]) expect((await resync(...args)).code).to.equal(2);
    expect((await resync("--from", "999999999")).err).to.match(/The last indexed block is \d+/);
  });

  for (const [name, remove] of [
    ["with events and sums that are wrong", true],
    ["of a store that was right", false],
  ] as const) {
    it(`makes the rows ${name} equal to those of a fresh sync, while the service runs`, async () => {
      const complete = readRows();
      if (remove) {
        const file = open();
        const removed = file.prepare("delete from chain_events where name in ('ScoreSnapshot', 'Registered')").run();
        expect(removed.changes).to.be.greaterThan(3);
        file.prepare("update chain_totals set snapshots = 77").run();
        file.prepare("update scorebanks set snapshots = 77").run();
        file.close();
      }
      const result = await resync("--from", String(stack.deployment.startBlock));
      expect(result.code, result.err).to.equal(0);
      await waitFor(() => readRows() === complete);
      expect((await player.client.rewards.scorebank({})).snapshots).to.equal(3);
    });
  }

  it("reads only the blocks from the given one on, and writes one audit row", async () => {
    const complete = readRows();
    const head = (await stack.request("GET", "/status")).body.chain.followed as number;
    const result = await resync("--from", String(head), "--as", "ada");
    expect(result.json).to.deep.equal({ ok: true, fromBlock: head, toBlock: head });
    await waitFor(() => readRows() === complete);
    const { json } = await callCommand(command, ["audit", "list", "--subject", "chain", "--json"], {
      ARCADE_DATA_DIR: stack.dataDir,
    });
    expect(json.audit[0]).to.deep.include({
      who: "ada",
      action: "chain.resync",
      before: { block: head },
      after: { block: head - 1 },
    });
  });

  it("stores the same rows as an indexer that starts with an empty store", async () => {
    const store = await openMemoryStore();
    const indexer = startTestIndexer(stack.chain.rpcUrl, stack.deployment, store);
    try {
      const head = (await stack.request("GET", "/status")).body.chain.followed as number;
      expect(await indexer.waitForBlock(head, 20_000)).to.equal(true);
      const listKeys = async (from: typeof store) => await from.chain.listEventKeys(0, head);
      const own = await withStore(stack, listKeys);
      expect(own).to.deep.equal(await listKeys(store));
    } finally {
      await indexer.stop();
      await store.close();
    }
  });
});
