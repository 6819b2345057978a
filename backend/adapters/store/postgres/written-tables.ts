/** When the tables of a PostgreSQL database were last written, by this process and by others. */
import { randomUUID } from "node:crypto";
import { Client, type ClientConfig } from "pg";
import { endConnection } from "./connections.ts";

/** https://www.postgresql.org/docs/15/sql-notify.html */
const CHANNEL = "arcade_written_tables";
const RECONNECT_MS = 1_000;
/** A process hears its own notifications, too: without one for so long after a commit, the connection counts as dead. */
const HEARD_WITHIN_MS = 2_000;

/**
 * A version of each table. Commits of this process count here; each writing transaction also notifies the other
 * processes of its tables. While nothing is heard of them, every question gets a new version, so nothing is kept: also
 * where the connection is dead and nothing says so, from three seconds on, since a backend commits each second.
 */
export class WrittenTables {
  readonly #config: ClientConfig;
  readonly #process = randomUUID();
  readonly #versions = new Map<string, number>();
  #commonVersion = 0;
  #listener: Client | null = null;
  #isListening = false;
  /** Since when, monotonic, a notification of this process is awaited; null where none is. */
  #awaitedSinceMs: number | null = null;
  #isClosed = false;
  #reconnect: NodeJS.Timeout | undefined;

  constructor(config: ClientConfig) {
    this.#config = config;
  }

  /** The statement that notifies the other processes of the tables when its transaction commits. */
  toNotification(tables: ReadonlySet<string>): string {
    return `select pg_notify('${CHANNEL}', '${this.#process}:${[...tables].join(",")}')`;
  }

  /** Call it after a commit, or after a failure that leaves open whether there was one. */
  count(tables: Iterable<string>): void {
    for (const table of tables) this.#versions.set(table, (this.#versions.get(table) ?? 0) + 1);
  }

  /** Call it before a commit with a notification. */
  expectNotification(): void {
    this.#awaitedSinceMs ??= performance.now();
  }

  /** The common version of some tables (`snake_case`). */
  get(tables: readonly string[]): number {
    if (this.#isListening && this.#isUnheard()) this.#listenLater(this.#listener!);
    if (!this.#isListening) this.#commonVersion += 1;
    return tables.reduce((sum, table) => sum + (this.#versions.get(table) ?? 0), this.#commonVersion);
  }

  /** Begins to listen, and listens again after each loss of the connection. Resolves after the first try. */
  async listen(): Promise<void> {
    if (this.#isClosed) return;
    const listener = new Client({ ...this.#config, query_timeout: HEARD_WITHIN_MS });
    this.#listener = listener;
    const retry = (): void => this.#listenLater(listener);
    listener.on("error", retry);
    listener.on("end", retry);
    listener.on("notification", ({ payload = "" }) => {
      const [sender, tables = ""] = payload.split(":");
      if (sender !== this.#process) this.count(tables.split(","));
      else if (this.#listener === listener) this.#awaitedSinceMs = null;
    });
    try {
      await listener.connect();
      await listener.query(`listen ${CHANNEL}`);
      this.#isListening = true;
      this.#awaitedSinceMs = null;
      // What was written before is not known.
      this.#commonVersion += 1;
    } catch {
      retry();
    }
  }

  /** A connection may be dead without an end: its server is gone, or a firewall drops its packets. */
  #isUnheard(): boolean {
    return this.#awaitedSinceMs !== null && performance.now() - this.#awaitedSinceMs > HEARD_WITHIN_MS;
  }

  #listenLater(lost: Client): void {
    if (this.#listener !== lost) return;
    this.#listener = null;
    this.#isListening = false;
    void endConnection(lost);
    if (!this.#isClosed) this.#reconnect = setTimeout(() => void this.listen(), RECONNECT_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reconnect);
    const listener = this.#listener;
    this.#listener = null;
    if (listener !== null) await endConnection(listener);
  }
}
