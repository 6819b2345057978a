/**
 * The facts whose commits the store announces. `standings`: the boards and the names of their players; `runs`: verified
 * runs and their snapshots; `league`: seasons and how many policies they have.
 */
export type StoreFact = "standings" | "runs" | "league";

export interface StoreFacts {
  /** Changes after each commit that changes the fact, by any process. */
  getVersion(fact: StoreFact): number;
}
