import { PURGED_TABLES, type PurgedTable, RETENTION } from "../../../domain/retention.ts";
import { DAY_MS } from "../../../domain/time.ts";
import type { RetentionStore } from "../../ports/store/retention.ts";
import type { Clock, Log } from "../../ports/system.ts";
import { RepeatedJob } from "../repeated-job.ts";

interface RetentionPorts {
  readonly store: RetentionStore;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Whether the store has the chain's events up to the head. Otherwise it may not know which identities were minted.
   */
  readonly isIndexed: () => boolean;
  /** False while another backend removes rows. */
  readonly mayRun: () => boolean;
}

/** Rows of one table in one transaction: few, since games run on the same thread. */
const BATCH_ROWS = 200;
const RUN_EVERY_MS = 600_000;
/** The time until the next run while there is more to remove. */
const CONTINUE_AFTER_MS = 5_000;

/** Removes expired rows, a bounded number in each run. */
export class Retention {
  readonly #ports: RetentionPorts;
  readonly #job: RepeatedJob;

  constructor(ports: RetentionPorts) {
    this.#ports = ports;
    this.#job = new RepeatedJob(ports.clock, () =>
      this.run().then(
        (hasMore) => (hasMore ? CONTINUE_AFTER_MS : RUN_EVERY_MS),
        (error: unknown) => {
          ports.log.warn({ err: error }, "old rows could not be removed yet");
          return RUN_EVERY_MS;
        },
      ),
    );
  }

  start(): void {
    this.#job.start(RUN_EVERY_MS);
  }

  /** Resolves when the current run has ended. */
  stop(): Promise<void> {
    return this.#job.stop();
  }

  /** Removes up to `BATCH_ROWS` rows of each table. Returns whether there may be more. */
  async run(): Promise<boolean> {
    let hasMore = false;
    for (const table of PURGED_TABLES) {
      if (this.#job.isStopped || !this.#ports.mayRun()) return false;
      if ((await this.#purge(table)) === BATCH_ROWS) hasMore = true;
    }
    return hasMore;
  }

  #purge(table: PurgedTable): Promise<number> {
    const { store, clock, isIndexed } = this.#ports;
    if (table === "metadataDocuments" && !isIndexed()) return Promise.resolve(0);
    return store.purge(table, clock.nowMs() - RETENTION[table].days * DAY_MS, BATCH_ROWS);
  }
}
