/** CPU time, user and system, in microseconds. */
import { readdirSync, readFileSync } from "node:fs";

/** The CPU time of all threads of this process during `work`. */
export async function measureCpuUs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  const pending = work();
  // Do not await a plain value: a synchronous side would pay for it.
  if (pending instanceof Promise) await pending;
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * For processes that are suspended between rounds: V8 collects the heap when it has doubled. By default it judges by
 * the clock how fast a program allocates, so that suspended time makes it collect several times as often.
 */
export const HEAP_FLAG = "--heap-growing-percent=100";

/** Linux counts the CPU time of other processes in hundredths of a second. */
const TICK_US = 10_000;

/** Fields of Linux' /proc/PID/stat from the third on. Throws if the process is gone. */
function readProcessFields(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name before the last ")" may contain spaces.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** `R` running, `S` sleeping, `T` stopped by a signal (proc_pid_stat(5)). Linux only. */
export const readProcessState = (pid: number): string => readProcessFields(pid)[0]!;

/**
 * The CPU time that another process and its threads have used so far. Its resolution is 10 ms: measure a second or
 * more, or use the `process.cpuUsage()` of the process. Linux only; throws if the process is gone.
 */
export function readProcessCpuUs(pid: number): number {
  // utime is field 14, stime 15.
  const fields = readProcessFields(pid);
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** The same for all processes of a process group. Linux only. */
export function readGroupCpuUs(group: number): number {
  let us = 0;
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      // pgrp is field 5.
      if (Number(readProcessFields(Number(name))[2]) === group) us += readProcessCpuUs(Number(name));
    } catch {
      // The process has ended since.
    }
  }
  return us;
}
