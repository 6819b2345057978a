/** Waits until commits are on disk, off the thread that commits and ticks the games. */
import { type FileHandle, open } from "node:fs/promises";
import { syncData } from "../node/sync.ts";

/**
 * SQLite's write-ahead log (https://www.sqlite.org/wal.html). A commit with `synchronous = NORMAL` appends to it
 * without waiting; once the file is on disk, so is every earlier commit. SQLite keeps the file while the database is
 * open, and holds no lock on it, so that a second descriptor does no harm.
 */
export class WriteAheadLog {
  readonly #path: string;
  #file: FileHandle | null = null;

  constructor(databaseFile: string) {
    this.#path = `${databaseFile}-wal`;
  }

  /** Resolves when every commit up to now survives a power cut. Rejects if the disk does not confirm it. */
  async sync(): Promise<void> {
    this.#file ??= await open(this.#path, "r+");
    await syncData(this.#file);
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }
}
