import { chmodSync, closeSync, openSync } from "node:fs";
import Database from "better-sqlite3";

/**
 * Takes an exclusive lock on a file, which it creates. The lock is SQLite's own, because Node has no file locks; the
 * operating system releases it when the process ends, also after a crash.
 * @returns a function that releases the lock, or null when another process holds it.
 */
export function acquireFileLock(path: string): (() => void) | null {
  // SQLite would create a file that every user can read.
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
  const database = new Database(path, { timeout: 0 });
  try {
    database.pragma("journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if ((error as { readonly code?: unknown }).code === "SQLITE_BUSY") return null;
    throw error;
  }
  return () => database.close();
}
