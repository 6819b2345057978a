/**
 * `npm run lab -- bench chaos` (P15): an agent's steps with all node calls through the chaos node (without faults),
 * beside the same steps without it. Stack, node and agent run in one process, as in a test program.
 */
import { mintOrUpgradeNft, registerAgent, requestPayout, snapshotScore } from "../../client/index.ts";
import { type Arcade, type ChaosNode, startArcade, startChaosNode } from "../../testing/index.ts";
import { connectPlayer } from "../../testing/player.ts";
import { measureCpuUs } from "./compare/cpu.ts";
import type { Benchmark, Side } from "./compare/types.ts";
import { findMissing } from "./compare/work.ts";

const SIZES = { full: { rounds: 15, ways: 5 }, quick: { rounds: 2, ways: 1 } };
const SLUG = "shellrunners";
const FIRST_TIER_SCORE = 60;
const COOLDOWN_MS = 60_000;
/** The agent's transactions: the registration, the snapshot and the NFT. */
const TRANSACTIONS = 3;
const DIRECT = "without the chaos node";

/** From the registration to the payout. Returns the transactions of the agent on the chain. */
async function runWay(arcade: Arcade, rpcUrl: string): Promise<number> {
  const { privateKey, address } = await arcade.connect();
  const { client } = connectPlayer({ httpUrl: arcade.httpUrl, rpcUrl }, privateKey, arcade.clock.nowMs);
  await registerAgent({ client, agentName: "Tester" });
  await arcade.endSession({ slug: SLUG, score: FIRST_TIER_SCORE, wallet: address });
  await snapshotScore({ client });
  await mintOrUpgradeNft({ client, slug: SLUG });
  await arcade.clock.advance(COOLDOWN_MS);
  if (!(await requestPayout({ client })).paid) throw new Error("the agent is not paid");
  return Number(await arcade.chain.request("eth_getTransactionCount", [address, "latest"]));
}

function createSide(name: string, ways: number, node: ChaosNode, run: () => Promise<number>, isProxied: boolean): Side {
  const runWays = async (): Promise<number> => {
    let transactions = 0;
    for (let way = 0; way < ways; way++) transactions += await run();
    return transactions;
  };
  return {
    name,
    start: async () => void (await runWays()),
    runRound: async () => {
      const [callsBefore, startedMs, expected] = [node.calls.length, performance.now(), TRANSACTIONS * ways];
      let transactions = 0;
      const cpuUs = await measureCpuUs(async () => {
        transactions = await runWays();
      });
      const ms = (performance.now() - startedMs) / ways;
      const sends = node.calls.slice(callsBefore).filter(({ method }) => method === "eth_sendRawTransaction");
      const missing = findMissing([
        { what: "transactions on the chain", done: transactions, expected },
        { what: "transactions on their path", done: isProxied ? sends.length : expected - sends.length, expected },
      ]);
      return { value: cpuUs / ways / 1_000, missing, more: { ms } };
    },
  };
}

export const benchmark: Benchmark = {
  summary: "an agent's way through the chaos node without faults (P15)",
  async *rows({ isQuick }) {
    const { rounds, ways } = isQuick ? SIZES.quick : SIZES.full;
    const arcade = await startArcade({ env: { ARCADE_RATE_LIMITS: "off" } });
    const node = await startChaosNode({ to: arcade.rpcUrl });
    try {
      yield {
        id: "P15",
        what: "an agent's way from its registration to its payout",
        figure: { name: "CPU of stack, node and agent for each", unit: "ms", better: "lower" },
        rounds,
        sides: [
          createSide("through the chaos node", ways, node, () => runWay(arcade, node.url), true),
          createSide(DIRECT, ways, node, () => runWay(arcade, arcade.rpcUrl), false),
        ],
        idle: createSide("idle", ways, node, async () => 0, true),
        bars: [{ against: DIRECT, share: 1.1 }],
      };
    } finally {
      await node.close();
      await arcade.close();
    }
  },
};
