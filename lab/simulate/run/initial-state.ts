/** The state that a run starts from: only the contracts, or what another run left. */
import type { Chain } from "../chain/chain.ts";
import type { RunDatabase } from "../world/run-database.ts";
import type { Known } from "./observations.ts";

/** What an agent of an earlier run knew at its end. */
export interface AgentMemory {
  readonly token: string | null;
  /** Sessions with a score. */
  readonly ended: ReadonlySet<string>;
}

export interface InitialState {
  /** One run at a time uses it. */
  readonly database: RunDatabase;
  readonly chain: ConstructorParameters<typeof Chain>[2];
  /** Milliseconds since 1970. */
  readonly startMs: number;
  /** Of the run before; null: there was none. */
  readonly memory: AgentMemory | null;
  readonly known: Known | null;
}
