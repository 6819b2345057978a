import { cpus, loadavg, totalmem } from "node:os";

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  /** Processes that wanted to run, on average over the last minute. */
  readonly load: number;
}

export const readMachine = (): Machine => ({
  processor: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  load: Number(loadavg()[0]!.toFixed(1)),
});

export const formatMachine = ({ processor, cores, memoryGb, node, load }: Machine): string =>
  `${processor}, ${cores} cores, ${memoryGb} GB, Node ${node}, load ${load}`;
