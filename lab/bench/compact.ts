/** `npm run lab -- bench compact`: bytes and cost of compact frames (P11). */
import type { Benchmark } from "./compare/types.ts";
import { createCompactRows } from "./ws/compact.ts";

export const benchmark: Benchmark = {
  summary: "bytes and CPU of compact frames beside JSON",
  rows: createCompactRows,
};
