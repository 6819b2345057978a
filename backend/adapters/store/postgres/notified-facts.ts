/** Facts published by backends on one PostgreSQL database: each commit notifies all backends. */
import { Client, type ClientConfig } from "pg";
import type { StoreFact } from "../../../ports/store/facts.ts";
import { FactVersions } from "../facts.ts";
import { endConnection } from "./connections.ts";

/** https://www.postgresql.org/docs/15/sql-notify.html */
const CHANNEL = "arcade_facts";
const RECONNECT_MS = 1_000;
/** How often the connection is tested: a dead one may not end by itself. */
const TRY_MS = 1_000;
const ANSWER_MS = 2_000;

/**
 * While no notifications can arrive, each read of a version returns a new one, so that nothing is cached. A connection
 * that dies silently counts as listening for at most `TRY_MS + ANSWER_MS`.
 */
export class NotifiedFacts extends FactVersions {
  readonly #config: ClientConfig;
  #listener: Client | null = null;
  #isListening = false;
  #isClosed = false;
  /** The timer of the next test of the connection, or of the next connection. */
  #timer: NodeJS.Timeout | undefined;

  constructor(config: ClientConfig) {
    super();
    this.#config = { ...config, query_timeout: ANSWER_MS };
  }

  /** The statements that notify all backends of these facts at the commit. */
  toNotification(facts: ReadonlySet<StoreFact>): string {
    return Array.from(facts, (fact) => `notify ${CHANNEL}, '${fact}'`).join("; ");
  }

  override getVersion(fact: StoreFact): number {
    if (!this.#isListening) this.countAll();
    return super.getVersion(fact);
  }

  /** Listens from now on, and reconnects after each loss of the connection. Resolves after the first attempt. */
  async listen(): Promise<void> {
    if (this.#isClosed) return;
    const listener = new Client(this.#config);
    this.#listener = listener;
    const giveUp = (): void => this.#reconnect(listener);
    listener.on("error", giveUp);
    listener.on("end", giveUp);
    listener.on("notification", ({ payload }) => this.count([payload as StoreFact]));
    try {
      await listener.connect();
      await listener.query(`listen ${CHANNEL}`);
    } catch {
      return giveUp();
    }
    if (this.#listener !== listener) return;
    this.#isListening = true;
    this.countAll();
    this.#tryLater(listener);
  }

  #tryLater(listener: Client): void {
    this.#timer = setTimeout(async () => {
      try {
        await listener.query("select 1");
      } catch {
        return this.#reconnect(listener);
      }
      if (this.#listener === listener) this.#tryLater(listener);
    }, TRY_MS);
  }

  #reconnect(lost: Client): void {
    if (this.#listener !== lost) return;
    this.#listener = null;
    this.#isListening = false;
    clearTimeout(this.#timer);
    void endConnection(lost);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.listen(), RECONNECT_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const listener = this.#listener;
    this.#listener = null;
    if (listener !== null) await endConnection(listener);
  }
}
