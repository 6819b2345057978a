/** What every drill shares: its seed, its length, its planted fault, and its figures. */
export const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
export const IS_PLANTED = process.env.DRILL_PLANTED === "1";
/** A share of the full length, for the short set. */
const SHARE = Number(process.env.DRILL_SHARE ?? 1);

/** A count of the full drill, shortened. */
export const scaled = (count: number): number => Math.max(1, Math.round(count * SHARE));

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const tell = (figures: { readonly [name: string]: number | string }): void =>
  console.log(
    `      ${Object.entries({ seed: SEED, ...figures })
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}`,
  );

/** Numbers in [0, 1) that follow from a seed (xorshift32). */
export function makeRandom(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Waits for a condition; throws when it does not come. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, ms = 15_000): Promise<void> {
  const endMs = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`${what}: not within ${ms} ms`);
    await pause(20);
  }
}
