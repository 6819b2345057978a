import { randomBytes } from "node:crypto";
import { ArcadeError } from "../domain/errors.ts";
import { uuidV7 } from "../domain/uuid.ts";
import type { Address, Clock, Log, TelemetryRow, TelemetryStore } from "../ports.ts";

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
  /** Null: when it arrived. */
  readonly occurredAtMs: number | null;
}

export type Telemetry = ReturnType<typeof makeTelemetry>;

const FLUSH_MS = 1000;
/** At 4 kB each: what the process holds at most while the store does not take them. */
const BUFFER_MAX = 10_000;
const STOP_ATTEMPTS = 5;
const STOP_PAUSE_MS = 200;

/** Takes events into memory and writes them together once a second, so that no event waits for the disk. */
export function makeTelemetry({ store, clock, log }: TelemetryPorts) {
  let buffer: TelemetryRow[] = [];
  let writing: Promise<void> | null = null;
  let cancel: (() => void) | null = null;
  let stopped = false;

  /** Writes what is there; a batch the store refuses stays in front of what came meanwhile. */
  async function write(): Promise<void> {
    const batch = buffer;
    if (batch.length === 0) return;
    buffer = [];
    try {
      await store.add(batch);
    } catch (fault) {
      buffer = [...batch, ...buffer];
      throw fault;
    }
  }

  function flush(): Promise<void> {
    writing ??= write().finally(() => {
      writing = null;
    });
    return writing;
  }

  function schedule(): void {
    cancel ??= clock.after(FLUSH_MS, () => {
      cancel = null;
      flush()
        .catch((fault: unknown) =>
          log.warn({ err: fault, events: buffer.length }, "telemetry could not be written yet"),
        )
        .finally(() => {
          if (buffer.length > 0 && !stopped) schedule();
        });
    });
  }

  const pause = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));

  return {
    /** Throws `STORAGE_BUSY` while too many events wait for the store. */
    track(event: TelemetryEvent): { readonly accepted: 1 } {
      if (stopped) throw new ArcadeError("SHUTTING_DOWN", "The service is stopping; send the event again in a moment.");
      if (buffer.length >= BUFFER_MAX) {
        throw new ArcadeError("STORAGE_BUSY", "Too many events wait to be written; send this one again in a moment.");
      }
      const nowMs = clock.nowMs();
      buffer.push({
        // Ascends with the time of arrival, which is what exports go by.
        eventId: uuidV7(nowMs, randomBytes(10)),
        event: event.event,
        wallet: event.walletAddress,
        slug: event.gameSlug,
        sessionId: event.sessionId,
        metadata: JSON.stringify(event.metadata),
        occurredAtMs: event.occurredAtMs ?? nowMs,
        receivedAtMs: nowMs,
      });
      schedule();
      return { accepted: 1 };
    },

    /** Takes no more and writes the rest; a store that is busy for a moment is asked again. */
    async stop(): Promise<void> {
      stopped = true;
      cancel?.();
      for (let attempt = 1; ; attempt += 1) {
        try {
          await writing?.catch(() => undefined);
          await flush();
          return;
        } catch (fault) {
          if (attempt === STOP_ATTEMPTS) {
            log.error({ err: fault, events: buffer.length }, "telemetry was lost at the end");
            return;
          }
          await pause(STOP_PAUSE_MS);
        }
      }
    },
  };
}
