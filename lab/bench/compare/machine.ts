import { cpus, getPriority, loadavg, totalmem } from "node:os";

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  /** Processes that wanted to run, on average over the last minute. */
  readonly load: number;
  /** From -20, before all other processes, to 19; 0 if nothing was set (`nice`). */
  readonly priority: number;
}

export const readMachine = (): Machine => ({
  processor: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  load: Number(loadavg()[0]!.toFixed(1)),
  priority: getPriority(),
});

export const formatMachine = ({ processor, cores, memoryGb, node, load, priority }: Machine): string =>
  `${processor}, ${cores} cores, ${memoryGb} GB, Node ${node}, ${priority === 0 ? "" : `priority ${priority}, `}load ${load}`;
