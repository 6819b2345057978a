/** Where policies of the league run: in processes that can be killed, never on the thread of the ticks. */
import type { RoundFacts } from "../../domain/league/build-round.ts";

/** A round before it is played. */
export type RoundPlan = Omit<RoundFacts, "policies" | "rungs">;
export type PlannedPolicy = Omit<RoundFacts["policies"][number], "runs">;

export interface PolicyRunner {
  /** Loads a text once. Throws `PolicyFault`, or `RATE_LIMITED` while many others wait. */
  check(text: string): Promise<void>;
  /** Plays a round. The same plan and policies give the same round. Throws if its process ended early. */
  playRound(
    plan: RoundPlan,
    policies: AsyncIterable<PlannedPolicy>,
  ): Promise<{
    /** gzip of the JSON of the round. */
    readonly file: Uint8Array;
    /** The strongest policy; null if there is none. */
    readonly winner: string | null;
  }>;
  /** Aborts the current round and discards it. */
  stop(): void;
}
