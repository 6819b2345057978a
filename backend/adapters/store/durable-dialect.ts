/** The store's requirements on a database engine besides Kysely's dialect. */
import type { Dialect, KyselyPlugin } from "kysely";
import type { StoreFact } from "../../ports/store/facts.ts";
import type { Singleton } from "../../ports/store/nodes.ts";
import type { Clock, Log } from "../../ports/system.ts";
import type { FactVersions } from "./facts.ts";
import type { Db } from "./schema.ts";

export interface LockOptions {
  readonly key: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Lock extends Singleton {
  /** Releases it. */
  stop(): Promise<void>;
}

/** A dialect whose committed rows survive a power cut once `waitForDisk` has resolved. */
export interface DurableDialect extends Dialect {
  readonly facts: FactVersions & {
    /** Statements before the commit that notify other processes; left out if those see commits in another way. */
    toNotification?(facts: ReadonlySet<StoreFact>): string;
  };
  readonly plugins: readonly KyselyPlugin[];
  /** Resolves when committed rows survive a power cut; does not block the thread. */
  waitForDisk(): Promise<void>;
  /**
   * The statement that begins a writing transaction whose commit need not wait for the disk; left out if no commit
   * waits.
   */
  readonly commitBehind?: string;
  /**
   * The statement that begins a transaction of several calls, in which waiting for a lock fails soon: nodes whose calls
   * wait for each other can then continue. Left out if only one process writes.
   */
  readonly boundLockWaits?: string;
  /** For statements that must wait for no other transaction of this process; if left out, the engine's only writer. */
  readonly control?: Dialect;
  /** For transactions that alter tables, which may take any time; if left out, the engine's only writer. */
  readonly alteration?: Dialect;
  /** Creates a lock that one process holds at a time; left out if the engine has no such locks. */
  createLock?(options: LockOptions): Lock;
  /** Waits inside a transaction until no other process alters tables. */
  waitToAlter(db: Db): Promise<void>;
  /** Closes what the dialect has opened besides its connections; call this before those are closed. */
  close(): Promise<void>;
}
