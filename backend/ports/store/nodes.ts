/** The backends that work on one database at once. */

/** One run of a backend. */
export interface NodeRow {
  /** Different at each start. */
  readonly nodeId: string;
  /** Until when its sessions are its own, by the clock of the database. */
  readonly leaseUntilMs: number;
  /** By the clock of the database. */
  readonly startedAtMs: number;
  /** Identifies the process for people: its machine, its port and, as the fragment, its process id. */
  readonly url: string | null;
  /** 1 if it accepts no other backend on the same database. */
  readonly isExclusive: number;
}

export type NodeRegistration =
  | { readonly registered: true }
  /** `other` is alive, and one of the two accepts no other backend. */
  | { readonly registered: false; readonly other: NodeRow };

/** The right of this process to run its sessions. */
export interface NodeOwnership {
  readonly nodeId: string;
  /** Other nodes may work on the database too. */
  readonly isShared: boolean;
  /** False while the lease may have expired by the monotonic clock; no session may tick then. */
  isHeld(): boolean;
}

/** Work that only one backend of a database does at a time. */
export interface Singleton {
  /** False as soon as another backend may have taken over the work. */
  isHeld(): boolean;
}

export interface Singletons {
  /** Stores the chain's events. */
  readonly indexer: Singleton;
  /** Reconciles the operator's transactions with the chain. */
  readonly transactions: Singleton;
  /** Removes expired rows. */
  readonly retention: Singleton;
  /** Plays the rounds of the league. */
  readonly league: Singleton;
}

/** All times are the database's: the clocks of the nodes may differ. */
export interface NodeStore {
  register(
    node: Pick<NodeRow, "nodeId" | "url"> & { readonly isExclusive: boolean },
    leaseMs: number,
  ): Promise<NodeRegistration>;
  /**
   * Extends the lease; returns false if it has expired, or if the node was released. An exclusive node can still renew
   * an expired lease until another node registers.
   */
  renew(nodeId: string, leaseMs: number): Promise<boolean>;
  /** Ends the lease: the open sessions of the node are free at once. */
  release(nodeId: string): Promise<void>;
  /** The nodes whose lease has not expired, oldest first. */
  listLive(): Promise<readonly NodeRow[]>;
}
