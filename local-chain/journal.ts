import { type FileHandle, mkdir, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Hex } from "viem";
import { syncData } from "../backend/adapters/node/sync.ts";

/** First line: the parameters of genesis, so that a replay starts from the same block 0. */
export interface JournalHeader {
  readonly version: 1;
  readonly chainId: number;
  /** Unix seconds of block 0. */
  readonly genesisAt: number;
  /** Accounts that genesis funded, in order. */
  readonly accounts: readonly Hex[];
}

/** A transaction as it arrived: signed bytes, or the fields of an unsigned one from an impersonated account. */
export type JournalTransaction = Hex | { readonly [field: string]: unknown };

export interface JournalBlock {
  readonly kind: "block";
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly transactions: readonly JournalTransaction[];
}

/** A request that changed the state without a block (such as `hardhat_setBalance`). */
export interface JournalCall {
  readonly kind: "call";
  readonly method: string;
  readonly params: readonly unknown[];
}

/** From this line on the chain's clock runs this many seconds ahead of the wall clock. */
export interface JournalTimeOffset {
  readonly kind: "travel";
  readonly seconds: number;
}

export type JournalEntry = JournalBlock | JournalCall | JournalTimeOffset;

const HEADER_VERSION = 1;

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * The local chain's file: one JSON line per block or state change, written and synced before the caller gets its
 * result. A kill can only leave the last line incomplete; the next opening removes it.
 */
export class Journal {
  readonly path: string;
  readonly #file: FileHandle;
  #length: number;
  readonly header: JournalHeader;
  /** The entries that the file held when it was opened, or those that it began with. */
  readonly entries: readonly JournalEntry[];

  private constructor(
    path: string,
    file: FileHandle,
    length: number,
    header: JournalHeader,
    entries: readonly JournalEntry[],
  ) {
    this.path = path;
    this.#file = file;
    this.#length = length;
    this.header = header;
    this.entries = entries;
  }

  /**
   * Opens or creates the file and removes an incomplete last line. A file without a header, or without entries, begins
   * with the given ones. Throws on any other line that is not JSON.
   */
  static async open(path: string, newHeader: JournalHeader, first: readonly JournalEntry[]): Promise<Journal> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
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
    const entries = values.length > 1 ? (values.slice(1) as JournalEntry[]) : first;
    const journal = new Journal(path, file, length, header ?? newHeader, entries);
    const missing = [...(header === null ? [newHeader] : []), ...(values.length > 1 ? [] : first)];
    await journal.append(missing).catch(async (error: unknown) => {
      await file.close();
      throw error;
    });
    return journal;
  }

  /** Bytes written and synced so far, for `truncate`. */
  get length(): number {
    return this.#length;
  }

  /** Writes the lines and syncs them to disk. If it throws, nothing is written. */
  async append(lines: readonly (JournalHeader | JournalEntry)[]): Promise<void> {
    if (lines.length === 0) return;
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    try {
      await this.#file.appendFile(bytes);
      await syncData(this.#file);
    } catch (error) {
      await this.#file.truncate(this.#length).catch(() => undefined);
      throw new Error(`The local chain cannot write ${this.path}: ${(error as Error).message}`, { cause: error });
    }
    this.#length += bytes.length;
  }

  /** Removes everything after `length` bytes. */
  async truncate(length: number): Promise<void> {
    await this.#file.truncate(length);
    await syncData(this.#file);
    this.#length = length;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
