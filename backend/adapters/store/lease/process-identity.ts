/** Finds out whether another process of this machine is alive. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** How a process finds out whether the owner of a lease still runs. */
export interface ProcessIdentity {
  /** Process ids mean the same processes for all that have the same place. */
  readonly place: string;
  readonly processId: number;
  isAlive(processId: number): boolean;
}

/** Linux: the boot and the namespace of process ids, so that containers with one host name differ. */
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
