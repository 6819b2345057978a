/** Tests the service's indexer and transaction manager with seeds that make the programs of examples/testing fail. */
import { expect } from "chai";
import { rewardsV2Abi } from "../../domain/typed-data/contract-abis.ts";
import { openMemoryStore } from "../../testing/images.ts";
import { type ChaosNode, type ChaosOptions, startChaosNode } from "../../testing/index.ts";
import { registerPlayers, startTestIndexer, useChain, waitFor } from "../adapters/chain/chain-fixture.ts";
import { useTransactionManager } from "../adapters/chain/manager-fixture.ts";
import { ShiftClock } from "../http/support/shift-clock.ts";

/** CI's first seeds, with which the examples fail. */
const SEEDS = Array.from({ length: Number(process.env.ARCADE_CHAOS_SEEDS ?? 20) }, (_, index) => index + 1);
const SEED_MAX_MS = 20_000;
const READ_AGAIN_MS = 11_000;

let faultCount = 0;
after(() => expect(faultCount).to.be.greaterThan(SEEDS.length));

async function withChaos(options: ChaosOptions, run: (node: ChaosNode) => Promise<void>): Promise<void> {
  const node = await startChaosNode(options);
  try {
    await run(node);
  } catch (error) {
    throw new Error(`seed ${options.seed}: ${JSON.stringify(node.faults)}`, { cause: error });
  } finally {
    faultCount += node.faults.length;
    await node.close();
  }
}

describe("the service's indexer on a chaos node", function () {
  this.timeout(SEEDS.length * SEED_MAX_MS);
  const fixture = useChain(registerPlayers);

  it(`matches the chain with each of ${SEEDS.length} seeds`, async () => {
    const wallet = fixture.players[0]!;
    const { rewards } = fixture.deployment;
    for (const seed of SEEDS) {
      const snapshot = await fixture.client.snapshot();
      const store = await openMemoryStore();
      const clock = new ShiftClock();
      await withChaos({ to: fixture.rpcUrl, chaos: ["logs", "head", "reorg"], seed }, async (node) => {
        const indexer = startTestIndexer(node.url, fixture.deployment, store, clock);
        let sequence = 0;
        const addScore = async (): Promise<void> => {
          sequence += 1;
          await fixture.actions.snapshot(wallet, "shellrunners", 100, sequence).catch(() => undefined);
        };
        while (sequence < 8) await addScore();
        await fixture.client.mine({ blocks: 3 });
        const score = await waitFor(async () => {
          clock.advance(READ_AGAIN_MS);
          await new Promise((resolve) => setTimeout(resolve, 20));
          const onChain = await fixture.client.readContract({
            address: rewards,
            abi: rewardsV2Abi,
            functionName: "getScorebank",
            args: [wallet.address],
          });
          // The drawn reorganizations have lost every score: on a busy machine more of them follow the last one.
          if (onChain === 0n) await addScore();
          return (await store.chain.getScorebank(wallet.address)).score === onChain && onChain > 0n && onChain;
        });
        expect(score > 0n, `seed ${seed}`).to.equal(true);
        await indexer.stop();
      });
      await store.close();
      await fixture.client.revert({ id: snapshot });
    }
  });
});

describe("the service's transaction manager on a chaos node", function () {
  this.timeout(SEEDS.length * SEED_MAX_MS);
  const fixture = useTransactionManager();

  for (const seed of SEEDS)
    it(`makes each of eight payments once, with seed ${seed}`, async () => {
      const before = await fixture.balance();
      await withChaos({ to: fixture.chain.rpcUrl, chaos: ["send"], seed }, async (node) => {
        const manager = fixture.startOn(node.url);
        const ids: string[] = [];
        for (let value = 1n; value <= 8n; value += 1n)
          ids.push((await manager.submit(fixture.transfer(`payment-${value}`, value))).id);
        for (const id of ids)
          expect(await manager.waitForTransaction(id, SEED_MAX_MS)).to.include({ status: "included" });
        expect((await fixture.balance()) - before).to.equal(36n);
        await fixture.stop(manager);
      });
    });
});
