/** Limits how many processes each caller may run. */
import { ToolError } from "./errors.ts";

/** `key`: whose share it is; null for the only caller of a server with its own key. */
export interface ToolCaller {
  readonly key: string | null;
  /** Has signed in and holds an agent identity. */
  readonly isPlayer: boolean;
}

interface Slot {
  readonly caller: ToolCaller;
  readonly evict: () => void;
}

/** A bounded number of slots, with a share for each caller. A player takes the oldest guest's slot if none is free. */
export class Slots {
  readonly #limits: { readonly atOnce: number; readonly perCaller: number; readonly what: string };
  readonly #held = new Set<Slot>();

  constructor(limits: { readonly atOnce: number; readonly perCaller: number; readonly what: string }) {
    this.#limits = limits;
  }

  /** Returns a function that frees the slot. `evict` ends the work in it. Throws `BUSY`. */
  take(caller: ToolCaller, evict: () => void): () => void {
    const { atOnce, perCaller, what } = this.#limits;
    const own = [...this.#held].filter((slot) => caller.key !== null && slot.caller.key === caller.key);
    if (own.length >= perCaller)
      throw new ToolError("BUSY", `You already have ${perCaller} running ${what}; wait for one to end.`);
    if (this.#held.size >= atOnce) {
      const guest = [...this.#held].find((held) => !held.caller.isPlayer);
      // safeguard: give-slots-to-players
      if (guest === undefined || !caller.isPlayer)
        throw new ToolError("BUSY", `${atOnce} ${what} are already running; try again in a minute.`);
      this.#held.delete(guest);
      guest.evict();
    }
    const slot = { caller, evict };
    this.#held.add(slot);
    return () => this.#held.delete(slot);
  }
}
