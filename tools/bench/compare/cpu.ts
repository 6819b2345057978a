/** CPU time, user and system, in microseconds. */
import { readFileSync } from "node:fs";

/** The CPU time of all threads of this process during `work`. */
export async function measureCpuUs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  const pending = work();
  // An await without a promise would be charged to a synchronous side.
  if (pending instanceof Promise) await pending;
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Linux counts the CPU time of other processes in hundredths of a second. */
const TICK_US = 10_000;

/**
 * The CPU time that another process and its threads have used so far, from Linux' /proc. Its resolution is 10 ms:
 * measure a second or more, or ask the process for its own `process.cpuUsage()`. Throws where the process is gone.
 */
export function readProcessCpuUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name before the last ")" may hold spaces. After it: state is field 3, utime 14, stime 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}
