/** Reads the numbers of a frame from which a state is made again. */
import { BEATS_PER_SECOND } from "./fixed.ts";

/** The beats that `beatsToMs` gives as so many milliseconds. */
export const msToBeats = (ms: number): number => Math.floor((ms * BEATS_PER_SECOND) / 1000);

/** The named whole numbers of an object. Throws `RangeError` naming the first that is not there. */
export function readIntegers<Name extends string>(value: unknown, names: readonly Name[]): Record<Name, number> {
  const object = (typeof value === "object" && value !== null ? value : {}) as { readonly [name: string]: unknown };
  for (const name of names) {
    if (!Number.isSafeInteger(object[name])) throw new RangeError(`the frame has no whole number "${name}"`);
  }
  return object as Record<Name, number>;
}
