import { copyFile, type FileHandle, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";

type Hex = `0x${string}`;

/** First line: what genesis was made from, so that a replay starts from the very same block 0. */
export interface JournalHeader {
  readonly version: 1;
  readonly chainId: number;
  /** Unix seconds of block 0. */
  readonly genesisAt: number;
  /** Accounts that genesis funded, in order. */
  readonly accounts: readonly Hex[];
}

/** A transaction as it arrived; one of an impersonated account has no signature and keeps its fields instead. */
export type JournalTransaction = Hex | { readonly [field: string]: unknown };

export interface JournalBlock {
  readonly kind: "block";
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly transactions: readonly JournalTransaction[];
}

/** A request that changed the state without a block (`hardhat_setBalance` and its like). */
export interface JournalCall {
  readonly kind: "call";
  readonly method: string;
  readonly params: readonly unknown[];
}

/** From here on the chain's clock runs this many seconds ahead of the wall clock. */
export interface JournalTravel {
  readonly kind: "travel";
  readonly seconds: number;
}

export type JournalEntry = JournalBlock | JournalCall | JournalTravel;

const HEADER_VERSION = 1;

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * The local chain's memory: one JSON line a block or state change, written and synced before anybody is told.
 * A kill can only tear the last line, which is cut off when the file is read again.
 */
export class Journal {
  readonly path: string;
  readonly #file: FileHandle;
  #length: number;
  /** The header, null while the file is empty. */
  readonly header: JournalHeader | null;
  /** What was read at opening. */
  readonly entries: readonly JournalEntry[];

  private constructor(
    path: string,
    file: FileHandle,
    length: number,
    header: JournalHeader | null,
    entries: JournalEntry[],
  ) {
    this.path = path;
    this.#file = file;
    this.#length = length;
    this.header = header;
    this.entries = entries;
  }

  /** Opens or creates the file and cuts a torn last line off. Throws on a line in the middle that cannot be read. */
  static async open(path: string): Promise<Journal> {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, "a+", 0o600);
    const bytes = await readFile(path);
    const length = bytes.lastIndexOf(0x0a) + 1;
    if (length < bytes.length) await file.truncate(length);
    const lines = bytes.subarray(0, length).toString("utf8").split("\n").slice(0, -1);
    const values = lines.map(parseLine);
    const unreadable = values.indexOf(undefined);
    const header = (values[0] ?? null) as JournalHeader | null;
    if (unreadable !== -1 || (header !== null && header.version !== HEADER_VERSION)) {
      await file.close();
      throw new Error(
        `The local chain's journal ${path} cannot be read (line ${Math.max(unreadable, 0) + 1}). Start again with --fresh, or restore the file.`,
      );
    }
    return new Journal(path, file, length, header, values.slice(1) as JournalEntry[]);
  }

  /** Bytes written and synced so far: a place to come back to with `truncate`. */
  get length(): number {
    return this.#length;
  }

  /** Writes the lines and waits until the disk has them. Throws with nothing written where it cannot. */
  async append(lines: readonly (JournalHeader | JournalEntry)[]): Promise<void> {
    if (lines.length === 0) return;
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    try {
      await this.#file.appendFile(bytes);
      await this.#file.datasync();
    } catch (error) {
      await this.#file.truncate(this.#length).catch(() => undefined);
      throw error;
    }
    this.#length += bytes.length;
  }

  /** Forgets everything after `length` bytes. */
  async truncate(length: number): Promise<void> {
    await this.#file.truncate(length);
    await this.#file.datasync();
    this.#length = length;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** Copies a journal so that the target is either the old file or the whole new one, also after a crash. */
export async function copyJournal(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const temporary = `${to}.new`;
  await copyFile(from, temporary);
  const file = await open(temporary, "r+");
  await file.sync();
  await file.close();
  await rename(temporary, to);
}

/**
 * Takes the folder for this process alone; the operating system gives it back when the process dies, however it does.
 * An SQLite file serves as the lock because Node has no file locks of its own.
 * @returns a function that gives the folder back.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  await mkdir(folder, { recursive: true });
  const database = new Database(join(folder, "lock.db"), { timeout: 0 });
  try {
    database.pragma("journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    throw new Error(`Another process runs the local chain in ${folder}. Stop it, or set another ARCADE_DATA_DIR.`, {
      cause,
    });
  }
  return () => database.close();
}

export const removeJournal = (path: string): Promise<void> => rm(path, { force: true });
