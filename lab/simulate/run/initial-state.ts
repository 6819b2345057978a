/** The state that a run starts from: only the contracts, or the state that another run left. */
import type { Chain } from "../chain/chain.ts";
import type { RunDatabase } from "../world/run-database.ts";
import type { Known } from "./observations.ts";

/** What an agent knew at the end of an earlier run. */
export interface AgentMemory {
  readonly token: string | null;
  /** Sessions with a score. */
  readonly ended: ReadonlySet<string>;
}

export interface InitialState {
  /** Used by one run at a time. */
  readonly database: RunDatabase;
  readonly chain: ConstructorParameters<typeof Chain>[2];
  /** Milliseconds since 1970. */
  readonly startMs: number;
  /** The agent's memory of the previous run; null if there was none. */
  readonly memory: AgentMemory | null;
  readonly known: Known | null;
}
