import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { privateKeyToAddress } from "viem/accounts";
import { startTransactionManager } from "../../../backend/adapters/chain/transaction-manager/transaction-manager.ts";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { type ChaosNode, startChaosNode } from "../../../testing/chaos/node.ts";
import { createTempDatabase } from "../store/suite.ts";
import { type ChainFixture, createTestRpc, isSend, silentLog, startChainFixture, testKeys } from "./chain-fixture.ts";

const WALLET = "0x00000000000000000000000000000000000B0b00";
const DAY = 20_000;

describe("a relay whose process is killed", () => {
  let fixture: ChainFixture;
  let node: ChaosNode;
  let store: Store;
  let child: ChildProcess;
  const database = createTempDatabase();

  before(async () => {
    fixture = await startChainFixture();
    node = await startChaosNode({ to: fixture.rpcUrl });
    store = await openStore({ databaseUrl: database.databaseUrl });
  });
  after(async () => {
    child.kill("SIGKILL");
    await node.close();
    await store.close();
    await fixture.close();
    database.remove();
  });

  it("between row and broadcast is sent once by the next process, and stays counted", async () => {
    const nonceOnChain = () => fixture.client.getTransactionCount({ address: privateKeyToAddress(testKeys.operator) });
    const before = await nonceOnChain();
    // The send reaches the node but not its mempool.
    const isSending = new Promise<void>((resolve) => {
      node.before(async (calls) => {
        if (!calls.some(isSend)) return;
        resolve();
        await new Promise(() => undefined);
      });
    });
    const program = fileURLToPath(new URL("./manager-process.ts", import.meta.url));
    child = spawn(process.execPath, [...process.execArgv, program, database.databaseUrl, node.url, WALLET], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    await isSending;
    child.kill("SIGKILL");
    await once(child, "close");
    expect((await store.relays.find("relay"))?.transaction).to.include({ status: "queued", block: null });
    expect(await nonceOnChain()).to.equal(before);

    const manager = startTransactionManager({
      rpc: createTestRpc(fixture.rpcUrl),
      largeBatchRpc: createTestRpc(fixture.rpcUrl),
      store: store.transactions,
      clock: systemClock,
      log: silentLog,
      privateKey: testKeys.operator,
      readFinalBlock: async () => -1,
      pollMs: 20,
      stuckMs: 60_000,
      feeCap: null,
    });
    try {
      const { transactionId, gas } = (await store.relays.find("relay"))!.relay;
      const settled = await manager.waitForTransaction(transactionId, 30_000);
      expect(settled.status).to.equal("included");
      expect(await nonceOnChain()).to.equal(before + 1);
      expect(await fixture.client.getBalance({ address: WALLET })).to.equal(1n);
      const usage = await store.relays.readUsage({ day: DAY, identity: "1", ip: "10.0.0.1", wallet: WALLET });
      expect(usage).to.include({ gas, gasOfIdentity: gas });
    } finally {
      await manager.close();
    }
  });
});
