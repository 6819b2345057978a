/**
 * `npm run lab -- bench operator`: the operator's transactions from one wallet (P10), simulated, signed, stored and sent,
 * beside transactions that were signed before the clock runs, and beside waiting for each receipt. Each round has a
 * fresh anvil; all calls go to a contract that counts them.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Benchmark, Round, Row, Side } from "./compare/types.ts";
import { type NodeOptions, startNode } from "./operator/node.ts";
import { arcadeAndPeers, idle, PRESIGNED, type Submission } from "./operator/sides.ts";

const SIZES = {
  full: { rounds: 5, count: 1000 },
  quick: { rounds: 1, count: 200 },
};
const DISTANT: NodeOptions = { distanceMs: 20, blockSeconds: 0.5 };
/** Sent before the clock runs, as a share of the count: connections are open, batches as large as the node takes. */
const WARM_UP_SHARE = 0.2;
/** After the warm-up. */
const SETTLE_MS = 300;

async function measure({ prepare }: Submission, options: NodeOptions, count: number): Promise<Round> {
  const node = await startNode(options);
  try {
    const warmUp = Math.ceil(count * WARM_UP_SHARE);
    const total = warmUp + count;
    const { send, resend, close } = await prepare(node, total);
    const waitForMined = (count: number): Promise<void> =>
      node.waitForMined(count, resend === undefined ? null : (mined) => resend(mined, count));
    try {
      const warmUpHashes = await send(0, warmUp);
      await waitForMined(warmUp);
      await sleep(SETTLE_MS);
      const cpu = process.cpuUsage();
      const nodeCpuUs = node.readCpuUs();
      const startedMs = performance.now();
      const hashes = await send(warmUp, total);
      const seconds = (performance.now() - startedMs) / 1000;
      const { user, system } = process.cpuUsage(cpu);
      const more = {
        "us of CPU each": (user + system) / count,
        "us of the node's CPU each": (node.readCpuUs() - nodeCpuUs) / count,
      };
      await waitForMined(total);
      const minedSeconds = (performance.now() - startedMs) / 1000;
      const missing = await node.findMissing([...warmUpHashes, ...hashes], total);
      return { value: count / seconds, missing, more: { "mined a second": count / minedSeconds, ...more } };
    } finally {
      await close?.();
    }
  } finally {
    await node.close();
  }
}

function createRow(count: number, rounds: number): Row {
  const createSide = (submission: Submission): Side => ({
    name: submission.name,
    runRound: () => measure(submission, DISTANT, Math.min(count, submission.countMax ?? count)),
  });
  const [ours, ...peers] = arcadeAndPeers;
  return {
    id: "P10",
    what: `${DISTANT.distanceMs} ms away, blocks of ${DISTANT.blockSeconds} s`,
    figure: { name: "transactions accepted by the node", unit: "a second", better: "higher" },
    rounds,
    sides: [createSide(ours), ...peers.map(createSide)],
    idle: createSide(idle),
    bars: [{ against: PRESIGNED, times: 0.85 }],
  };
}

export const benchmark: Benchmark = {
  summary: "the operator's transactions from one wallet (P10)",
  *rows({ isQuick }) {
    const { rounds, count } = isQuick ? SIZES.quick : SIZES.full;
    yield createRow(count, rounds);
  },
};
