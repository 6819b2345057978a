/** What is there when a life begins: nothing but the contracts, or what another life has left. */
import type { Chain } from "../chain/chain.ts";
import type { LifeDatabase } from "../world/life-database.ts";
import type { Known } from "./observations.ts";

/** What an agent of an earlier life knew at its end. */
export interface AgentMemory {
  readonly token: string | null;
  /** Sessions with a score. */
  readonly ended: ReadonlySet<string>;
}

export interface Beginning {
  /** One life at a time uses it. */
  readonly database: LifeDatabase;
  readonly chain: ConstructorParameters<typeof Chain>[2];
  /** Milliseconds since 1970. */
  readonly startMs: number;
  /** Of the life before; null: there was none. */
  readonly memory: AgentMemory | null;
  readonly known: Known | null;
}
