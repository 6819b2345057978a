import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shrinkFaults, startChaosNode } from "@agent-arcade/testing";
import { useArcade } from "@agent-arcade/testing/node-test";
import { createPublicClient, encodeFunctionData, http } from "viem";
import { NaiveIndexer, TOKEN_ABI } from "./naive-indexer.js";
import { NaiveSender } from "./naive-sender.js";

const SEEDS = 20;
const FAULTS_MAX = 3;
const RECIPIENT = "0x00000000000000000000000000000000000A11cE";

/** Whether the indexer matches the chain after some transactions and some time. */
async function isIndexed(arcade, node) {
  const { address: token } = arcade.contracts.token;
  const chain = createPublicClient({ transport: http(arcade.rpcUrl), cacheTime: 0 });
  const fromBlock = (await chain.getBlockNumber()) + 1n;
  const indexer = new NaiveIndexer({ rpcUrl: node.url, token, nextBlock: fromBlock });
  for (let count = 1n; count <= 12n; count += 1n) {
    const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: "approve", args: [RECIPIENT, count] });
    const transaction = { from: arcade.accounts[0].address, to: token, data };
    if (count <= 8n) await arcade.chain.request("eth_sendTransaction", [transaction]);
    await indexer.poll().catch(() => undefined);
  }
  const logs = await chain.getContractEvents({ address: token, abi: TOKEN_ABI, eventName: "Approval", fromBlock });
  return logs.map(({ transactionHash }) => transactionHash).join() === indexer.rows.join();
}

/** Whether each of eight payments arrives once. */
async function isPaid(arcade, node) {
  const sender = new NaiveSender({ rpcUrl: node.url, privateKey: arcade.accounts[0].privateKey });
  for (let value = 1n; value <= 8n; value += 1n)
    for (let tries = 0, isSent = false; tries < 3 && !isSent; tries += 1)
      isSent = await sender.send(RECIPIENT, value).then(
        () => true,
        () => false,
      );
  const client = createPublicClient({ transport: http(node.url, { retryCount: 0 }), cacheTime: 0 });
  for (let count = 0; count < 15; count += 1) await client.getBalance({ address: RECIPIENT });
  return (await client.getBalance({ address: RECIPIENT })) === 36n;
}

const PROGRAMS = [
  ["indexer", ["logs", "head", "reorg"], isIndexed],
  ["sender", ["send"], isPaid],
];

describe("a program that believes its node", () => {
  const arcade = useArcade({ at: "deployed", seed: 7 });

  async function run(isRight, options) {
    await arcade.reset();
    const node = await startChaosNode({ to: arcade.rpcUrl, ...options });
    try {
      return { isRight: await isRight(arcade, node), faults: node.faults };
    } finally {
      await node.close();
    }
  }

  for (const [name, chaos, isRight] of PROGRAMS) {
    it(`works on a good node: ${name}`, async () => {
      assert.equal((await run(isRight, {})).isRight, true);
    });

    it(`fails within ${SEEDS} seeds, by at most ${FAULTS_MAX} faults: ${name}`, async () => {
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const { isRight: isFine, faults } = await run(isRight, { chaos, seed });
        if (isFine) continue;
        const needed = await shrinkFaults(faults, async (replay) => !(await run(isRight, { replay })).isRight);
        console.log(`${name}, seed ${seed}: ${needed.map(({ call, fault }) => `${fault} at call ${call}`).join(", ")}`);
        assert.ok(needed.length <= FAULTS_MAX);
        return;
      }
      assert.fail("no seed made it fail");
    });
  }
});
