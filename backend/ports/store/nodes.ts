/** The backends that work on one database at once. */

/** One run of a backend. */
export interface NodeRow {
  /** New at each start. */
  readonly nodeId: string;
  /** Until when its sessions are its own, by the clock of the database. */
  readonly leaseUntilMs: number;
  /** By the clock of the database. */
  readonly startedAtMs: number;
  /** Identifies the process for people: its machine, its port and, as the fragment, its process id. */
  readonly url: string | null;
  /** 1 if it accepts no other backend beside it. */
  readonly isExclusive: number;
}

export type NodeRegistration =
  | { readonly registered: true }
  /** `other` is alive, and one of both accepts no other backend. */
  | { readonly registered: false; readonly other: NodeRow };

/** The right of this process to run its sessions. */
export interface NodeOwnership {
  readonly nodeId: string;
  /** Other nodes may work on the database, too. */
  readonly isShared: boolean;
  /** False while the lease may have run out, by the monotonic clock: nothing may be ticked then. */
  isHeld(): boolean;
}

/** Work that one backend of a database does at a time. */
export interface Singleton {
  /** False as soon as another backend may have the work. */
  isHeld(): boolean;
}

export interface Singletons {
  /** Stores the chain's events. */
  readonly indexer: Singleton;
  /** Reconciles the operator's transactions with the chain. */
  readonly transactions: Singleton;
  /** Removes rows whose time is over. */
  readonly retention: Singleton;
  /** Plays the rounds of the league. */
  readonly league: Singleton;
}

/** Every time is the database's: the clocks of the nodes may differ. */
export interface NodeStore {
  register(
    node: Pick<NodeRow, "nodeId" | "url"> & { readonly isExclusive: boolean },
    leaseMs: number,
  ): Promise<NodeRegistration>;
  /**
   * Extends the lease while it has not run out; false if it has, or the node was released. That of an exclusive node
   * runs out when another node has registered after its time.
   */
  renew(nodeId: string, leaseMs: number): Promise<boolean>;
  /** Ends the lease: the open sessions of the node are free at once. */
  release(nodeId: string): Promise<void>;
  /** The nodes whose lease has not run out, oldest first. */
  listLive(): Promise<readonly NodeRow[]>;
}
