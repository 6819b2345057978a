/**
 * What the store publishes of its commits. `standings`: the boards, and the names of their players;
 * `runs`: verified runs and their snapshots.
 */
export type StoreFact = "standings" | "runs";

export interface StoreFacts {
  /** Another number after each commit that changes the fact, by any process. */
  getVersion(fact: StoreFact): number;
}
