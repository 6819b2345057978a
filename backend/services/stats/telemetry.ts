import { randomBytes } from "node:crypto";
import type { Address } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { uuidV7 } from "../../../domain/ids.ts";
import type { TelemetryRow, TelemetryStore } from "../../ports/store/stats.ts";
import type { Clock, Log } from "../../ports/system.ts";

interface TelemetryPorts {
  readonly store: Pick<TelemetryStore, "add">;
  readonly clock: Clock;
  readonly log: Log;
}

export interface TelemetryEvent {
  readonly event: string;
  readonly walletAddress: Address | null;
  readonly gameSlug: string | null;
  readonly sessionId: string | null;
  readonly metadata: { readonly [field: string]: unknown };
  /** Null: the time of arrival. */
  readonly occurredAtMs: number | null;
}

const FLUSH_MS = 1000;
/** The most events in memory while the store does not accept them; at 4 kB each, 40 MB. */
const BUFFER_MAX = 10_000;
const STOP_ATTEMPTS = 5;
const STOP_PAUSE_MS = 200;

interface WriteResult {
  readonly unwritten: readonly TelemetryRow[];
  /** Why they were not written; null if all were. */
  readonly error: ArcadeError | null;
}

/** Buffers events in memory and writes them once a second, so that no request waits for the disk. */
export class Telemetry {
  readonly #ports: TelemetryPorts;
  #buffer: TelemetryRow[] = [];
  #pendingWrite: Promise<void> | null = null;
  #cancelFlush: (() => void) | null = null;
  #isStopped = false;
  #dropped = 0;

  constructor(ports: TelemetryPorts) {
    this.#ports = ports;
  }

  /** Events that were dropped because the store rejects their content. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Throws `STORAGE_BUSY` while too many events wait for the store, `SHUTTING_DOWN` after `stop`. */
  track(event: TelemetryEvent): { readonly accepted: 1 } {
    if (this.#isStopped)
      throw new ArcadeError("SHUTTING_DOWN", "The service is stopping; send the event again in a moment.");
    if (this.#buffer.length >= BUFFER_MAX)
      throw new ArcadeError("STORAGE_BUSY", "Too many events wait to be written; send this one again in a moment.");
    const nowMs = this.#ports.clock.nowMs();
    this.#buffer.push({
      // Ids ascend with the time of arrival, by which exports are ordered.
      eventId: uuidV7(nowMs, randomBytes(10)),
      event: event.event,
      wallet: event.walletAddress,
      slug: event.gameSlug,
      sessionId: event.sessionId,
      metadata: JSON.stringify(event.metadata),
      occurredAtMs: event.occurredAtMs ?? nowMs,
      receivedAtMs: nowMs,
    });
    this.#scheduleFlush();
    return { accepted: 1 };
  }

  /** Rejects further events and writes the buffered ones; a busy store is tried again a few times. */
  async stop(): Promise<void> {
    const { clock, log } = this.#ports;
    this.#isStopped = true;
    this.#cancelFlush?.();
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#pendingWrite?.catch(() => undefined);
        await this.#flush();
        return;
      } catch (error) {
        if (attempt === STOP_ATTEMPTS) {
          log.error({ err: error, events: this.#buffer.length }, "telemetry was lost at shutdown");
          return;
        }
        await new Promise<void>((resolve) => clock.after(STOP_PAUSE_MS, resolve));
      }
    }
  }

  #scheduleFlush(): void {
    const { clock, log } = this.#ports;
    this.#cancelFlush ??= clock.after(FLUSH_MS, () => {
      this.#cancelFlush = null;
      this.#flush()
        .catch((error: unknown) =>
          log.warn({ err: error, events: this.#buffer.length }, "telemetry could not be written yet"),
        )
        .finally(() => {
          if (this.#buffer.length > 0 && !this.#isStopped) this.#scheduleFlush();
        });
    });
  }

  #flush(): Promise<void> {
    this.#pendingWrite ??= this.#write().finally(() => {
      this.#pendingWrite = null;
    });
    return this.#pendingWrite;
  }

  /** Writes the buffer; events that a busy store rejected stay before newer ones. */
  async #write(): Promise<void> {
    const batch = this.#buffer;
    if (batch.length === 0) return;
    this.#buffer = [];
    const { unwritten, error } = await this.#writeRows(batch);
    if (unwritten.length === 0) return;
    this.#buffer = [...unwritten, ...this.#buffer];
    throw error;
  }

  /**
   * Writes rows in one transaction. If their content fails, each half is written separately, so that only the event
   * that cannot be stored is lost. Returns the rows to try again because the store is unavailable.
   */
  async #writeRows(rows: readonly TelemetryRow[]): Promise<WriteResult> {
    try {
      await this.#ports.store.add(rows);
      return { unwritten: [], error: null };
    } catch (error) {
      if (error instanceof ArcadeError) return { unwritten: rows, error };
      if (rows.length === 1) {
        this.#drop(rows[0]!, error);
        return { unwritten: [], error: null };
      }
      const middle = Math.ceil(rows.length / 2);
      const first = await this.#writeRows(rows.slice(0, middle));
      if (first.error !== null) return { unwritten: [...first.unwritten, ...rows.slice(middle)], error: first.error };
      return this.#writeRows(rows.slice(middle));
    }
  }

  #drop({ eventId, event }: TelemetryRow, error: unknown): void {
    this.#dropped += 1;
    this.#ports.log.warn({ err: error, eventId, event, dropped: this.#dropped }, "a telemetry event cannot be stored");
  }
}
