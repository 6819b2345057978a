/** What the store needs of a database engine besides Kysely's dialect. */
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
    /** Statements before the commit that tell other processes; left out where their commits are seen otherwise. */
    toNotification?(facts: ReadonlySet<StoreFact>): string;
  };
  readonly plugins: readonly KyselyPlugin[];
  /** Resolves when what is committed survives a power cut; does not keep the thread. */
  waitForDisk(): Promise<void>;
  /** Begins a writing transaction whose commit need not wait for the disk; left out if no commit does. */
  readonly commitBehind?: string;
  /**
   * Begins a transaction that several calls share, in which a wait for a lock fails soon: two nodes whose calls wait for
   * each other continue then. Left out if one process writes.
   */
  readonly boundLockWaits?: string;
  /** For statements that must wait for no other transaction of this process; the engine's only writer where left out. */
  readonly control?: Dialect;
  /** For transactions that alter tables, which take as long as they need; the engine's only writer where left out. */
  readonly alteration?: Dialect;
  /** A lock that one process holds at a time; none if the engine has no such thing. */
  createLock?(options: LockOptions): Lock;
  /** Waits inside a transaction until no other process alters tables. */
  waitToAlter(db: Db): Promise<void>;
  /** Ends what the dialect has opened besides its connections; call it before those are closed. */
  close(): Promise<void>;
}
