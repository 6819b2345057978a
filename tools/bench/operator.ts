/**
 * `npm run bench -- operator` (P10): the operator's transactions from one wallet against presigned submission and
 * against waiting for each receipt, on the same kind of node (anvil), at 0 and 20 ms of distance. Each round has a fresh
 * node; a round counts only when every transaction has its receipt. Prints the table of docs/benchmarks.md.
 */
import { median } from "./median.ts";
import { type NodeOptions, startNode } from "./operator/node.ts";
import { idle, type Side, sides } from "./operator/sides.ts";
import { describeMachine } from "./ws/driver.ts";

const ROUNDS = 5;
const COUNT = 3000;
const SETTINGS: readonly (NodeOptions & { readonly title: string; readonly count: number })[] = [
  { title: "0 ms, blocks of 0.5 s", distanceMs: 0, blockSeconds: 0.5, count: COUNT },
  { title: "20 ms, blocks of 0.5 s", distanceMs: 20, blockSeconds: 0.5, count: COUNT },
  { title: "0 ms, a block for each transaction", distanceMs: 0, count: 500 },
];

interface Round {
  /** Transactions a second until the node has accepted all. */
  readonly acceptedRate: number;
  /** Until all are in blocks. */
  readonly minedRate: number;
  /** CPU of this process for each transaction, in us. */
  readonly cpuUs: number;
}

/** Throws `void: …` when the work was not done. */
async function measure(side: Side, options: NodeOptions, count: number): Promise<Round> {
  const node = await startNode(options);
  try {
    const { send, close } = await side.prepare(node, count);
    try {
      const cpu = process.cpuUsage();
      const startedMs = performance.now();
      const hashes = await send();
      const acceptedMs = performance.now() - startedMs;
      const { user, system } = process.cpuUsage(cpu);
      await node.waitForMined(count);
      const minedMs = performance.now() - startedMs;
      await node.check(hashes, count);
      const toRate = (ms: number): number => (count * 1000) / ms;
      return { acceptedRate: toRate(acceptedMs), minedRate: toRate(minedMs), cpuUs: (user + system) / count };
    } finally {
      await close?.();
    }
  } finally {
    await node.close();
  }
}

/** The check is worth something only where it finds a side that does nothing. */
async function findIdleSide(): Promise<void> {
  const found = await measure(idle, SETTINGS[0]!, 100).then(
    () => null,
    (error: Error) => error.message,
  );
  if (found === null || !found.startsWith("void")) throw new Error(`the idle side was not found: ${found}`);
  console.log(`a side that does nothing: ${found}`);
}

const format = (values: readonly number[]): string =>
  `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;

export async function run(): Promise<void> {
  console.log(describeMachine());
  await findIdleSide();
  console.log(
    "\n| node | side | accepted a second: median (slowest to fastest) | mined a second | CPU us each | ours to it |\n|---|---|---|---|---|---|",
  );
  for (const { title, count, ...options } of SETTINGS) {
    const rounds = new Map<Side, Round[]>(sides.map((side) => [side, []]));
    for (let round = 0; round < ROUNDS; round++)
      for (const side of sides)
        rounds.get(side)!.push(await measure(side, options, Math.min(count, side.countMax ?? count)));
    const read = (side: Side, key: keyof Round) => rounds.get(side)!.map((round) => round[key]);
    const ours = sides[0]!;
    for (const side of sides) {
      const ratios = read(ours, "acceptedRate").map((rate, index) => rate / read(side, "acceptedRate")[index]!);
      console.log(
        `| ${title} | ${side.name} | ${format(read(side, "acceptedRate"))} | ${format(read(side, "minedRate"))} | ${median(read(side, "cpuUs")).toFixed(0)} | ${side === ours ? "" : median(ratios).toFixed(2)} |`,
      );
    }
  }
  console.log(`\n${describeMachine()}`);
}
