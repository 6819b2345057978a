/** Limits how many processes each caller may run. */
import { ToolError } from "./errors.ts";

/** `key`: whose share it is; null for the only caller of a server with its own key. */
export interface ToolCaller {
  readonly key: string | null;
  /** Has signed in and holds an agent identity. */
  readonly isPlayer: boolean;
}

export interface SlotLimits {
  readonly atOnce: number;
  /** How many of them guests may hold: players always find the others, and the processor. */
  readonly guests: number;
  readonly perCaller: number;
  readonly what: string;
}

/** A bounded number of slots, with a share for each caller and one for all callers who are not players. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #held = new Set<{ readonly caller: ToolCaller }>();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Returns a function that frees the slot. Throws `BUSY`. */
  take(caller: ToolCaller): () => void {
    const { atOnce, guests, perCaller, what } = this.#limits;
    const own = this.#count((holder) => caller.key !== null && holder.key === caller.key);
    if (own >= perCaller)
      throw new ToolError("BUSY", `You already have ${perCaller} running ${what}; wait for one to end.`);
    if (this.#held.size >= atOnce)
      throw new ToolError("BUSY", `${atOnce} ${what} are already running; try again in a minute.`);
    // safeguard: share-of-guests
    if (!caller.isPlayer && this.#count(({ isPlayer }) => !isPlayer) >= guests)
      throw new ToolError(
        "BUSY",
        `${guests} ${what} of callers without an agent identity are already running; try again in a minute, or sign in.`,
      );
    const slot = { caller };
    this.#held.add(slot);
    return () => this.#held.delete(slot);
  }

  #count(matches: (caller: ToolCaller) => boolean): number {
    return [...this.#held].filter(({ caller }) => matches(caller)).length;
  }
}
