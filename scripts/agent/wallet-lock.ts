/** One process per wallet: two runs of the same agent would displace each other in the game and reuse nonces. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { acquireFileLock } from "../../backend/adapters/node/file-lock.ts";

/** A release function for each lock of this process. The list also keeps the locks from being garbage-collected. */
const releaseLocks = new Set<() => void>();

/** Locks agent `number` of `folder` for this process until it ends; false if another process holds the lock. */
export function lockWallet(folder: string, number: number): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const release = acquireFileLock(join(folder, `${number}.lock`));
  if (release === null) return false;
  releaseLocks.add(release);
  return true;
}

/** Releases every lock that this process holds. */
export function releaseWalletLocks(): void {
  for (const release of releaseLocks) release();
  releaseLocks.clear();
}
