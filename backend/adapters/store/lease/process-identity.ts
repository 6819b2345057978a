/** Checks whether another process of this machine is alive. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** How a process checks whether the owner of a lease is still running. */
export interface ProcessIdentity {
  /** For processes with the same place, process ids refer to the same processes. */
  readonly place: string;
  readonly processId: number;
  isAlive(processId: number): boolean;
}

/** On Linux: the boot and the namespace of process ids, so that containers with one host name differ. */
function readPlace(): string {
  try {
    const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${hostname()} ${bootId} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

export const getProcessIdentity = (): ProcessIdentity => ({ place: readPlace(), processId: process.pid, isAlive });
