import type { AsOf, ChainReader, Head } from "../ports.ts";

export function finalityOf(
  block: number,
  finality: { readonly safe: number; readonly final: number },
): AsOf["finality"] {
  if (block <= finality.final) return "final";
  return block <= finality.safe ? "safe" : "included";
}

/** The block an answer was read at, in the form answers carry it. */
export async function asOfNow(chain: ChainReader, head?: Head): Promise<AsOf> {
  const [at, finality] = await Promise.all([head ?? chain.head(), chain.finality()]);
  return { block: at.number, hash: at.hash, finality: finalityOf(at.number, finality) };
}
