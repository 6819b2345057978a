/** A lock in the database that one process holds for as long as its connection lives. */
import { Client, type ClientConfig } from "pg";
import type { Lock, LockOptions } from "../durable-dialect.ts";
import { endConnection } from "./connections.ts";

/** The first half of every key, so that no other program takes the same lock in this database. */
const LOCK_SPACE = 0x61726361;
const POLL_MS = 500;
/** After this time without a response, by this process's monotonic clock, the lock does not count as held. */
const HELD_MS = 2_000;
/** The server closes the connection of a stopped process, so that another one gets the lock. */
const IDLE_MS = 3_000;

/**
 * Requests the lock until it gets it, on a separate connection;
 * https://www.postgresql.org/docs/15/explicit-locking.html
 */
export class AdvisoryLock implements Lock {
  readonly #config: ClientConfig;
  readonly #options: LockOptions;
  #client: Client | null = null;
  #hasLock = false;
  /** When the last query was sent that the server has answered. */
  #answeredMs = Number.NEGATIVE_INFINITY;
  #cancel = (): void => undefined;
  #polling: Promise<void>;
  #isStopped = false;

  constructor(config: ClientConfig, options: LockOptions) {
    this.#config = config;
    this.#options = options;
    this.#polling = this.#poll();
  }

  isHeld(): boolean {
    return this.#hasLock && this.#options.clock.monotonicMs() - this.#answeredMs < HELD_MS;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#polling;
    this.#hasLock = false;
    const client = this.#client;
    this.#client = null;
    if (client !== null) await endConnection(client);
  }

  async #poll(): Promise<void> {
    const { clock, log, key } = this.#options;
    try {
      const sentMs = clock.monotonicMs();
      const client = this.#client ?? (await this.#connect());
      // Checked each time: a pooler may assign another client's session, which may or may not have the lock.
      const isOwned = `exists (select from pg_locks where locktype = 'advisory' and granted and pid = pg_backend_pid()
        and classid = ${LOCK_SPACE} and objid = ${key} and objsubid = 2)`;
      const question = this.#hasLock
        ? `select ${isOwned} as held`
        : `select case when ${isOwned} then false else pg_try_advisory_lock(${LOCK_SPACE}, ${key}) end as held`;
      // A standby grants locks too.
      const { rows } = await client.query<{ held: boolean; standby: boolean }>(
        `${question}, pg_is_in_recovery() as standby`,
      );
      if (rows[0]!.standby) throw new Error("the connection leads to a standby");
      if (client === this.#client) {
        this.#hasLock = rows[0]!.held;
        this.#answeredMs = sentMs;
      }
    } catch (error) {
      log.debug({ err: error, key }, "the database does not answer for a lock; trying again");
      this.#forget(this.#client);
    }
    if (!this.#isStopped)
      this.#cancel = clock.after(POLL_MS, () => {
        this.#polling = this.#poll();
      });
  }

  async #connect(): Promise<Client> {
    // A connection may be dead without having ended; a query without a response must not delay the next one.
    const client = new Client({ ...this.#config, query_timeout: HELD_MS });
    const forget = (): void => this.#forget(client);
    client.on("error", forget);
    client.on("end", forget);
    await client.connect();
    this.#client = client;
    await client.query(`set idle_session_timeout = ${IDLE_MS}`);
    return client;
  }

  /** The next query uses a new connection. */
  #forget(client: Client | null): void {
    if (client === null || this.#client !== client) return;
    this.#client = null;
    this.#hasLock = false;
    void endConnection(client);
  }
}
