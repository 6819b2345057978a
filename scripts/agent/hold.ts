/** One wallet, one process: two runs of the same agent would push each other out of the game and off their nonces. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";

/** Held until the process ends; kept here, so that no handle is collected before. */
const held = new Set<InstanceType<typeof Database>>();

/**
 * Takes agent `number` of `folder` for this process; false where another one has it. The lock is SQLite's own on an
 * empty file: the system lets it go whenever its process ends, so none is left behind by a crash.
 */
export function holdAgent(folder: string, number: number): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = new Database(join(folder, `${number}.lock`), { timeout: 0 });
  try {
    file.exec("BEGIN EXCLUSIVE");
  } catch (fault) {
    file.close();
    if ((fault as { code?: unknown }).code === "SQLITE_BUSY") return false;
    throw fault;
  }
  held.add(file);
  return true;
}

/** Lets go of everything that this process holds. */
export function releaseAgents(): void {
  for (const file of held) file.close();
  held.clear();
}
