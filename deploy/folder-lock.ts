import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { acquireFileLock } from "../backend/adapters/node/file-lock.ts";

export interface LockHolder {
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
}

/** The holder of the lock; null until the holder has written its id. */
async function readHolder(path: string): Promise<LockHolder | null> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as LockHolder;
  } catch {
    return null;
  }
}

/**
 * Takes the lock of one deployment, `path`.lock, and waits while another process holds it; calls `onWaiting` once with
 * the holder. The system releases the lock of a killed process.
 * @returns a function that releases the lock.
 */
export async function lockDeployment(
  path: string,
  onWaiting: (holder: LockHolder | null) => void,
  pollMs = 500,
): Promise<() => void> {
  await mkdir(dirname(path), { recursive: true });
  const holderPath = `${path}.holder.json`;
  let isReported = false;
  for (;;) {
    const release = acquireFileLock(`${path}.lock`);
    if (release !== null) {
      const holder: LockHolder = { pid: process.pid, since: new Date().toISOString() };
      await writeFile(holderPath, `${JSON.stringify(holder)}\n`);
      return release;
    }
    if (!isReported) onWaiting(await readHolder(holderPath));
    isReported = true;
    await wait(pollMs);
  }
}
