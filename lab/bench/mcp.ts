/** `npm run lab -- bench mcp`: how much later ticks are beside calls of tools through `/mcp` (P16). */
import type { Benchmark } from "./compare/types.ts";
import { createBesideMcpRow } from "./endpoint/beside-mcp.ts";

export const benchmark: Benchmark = {
  summary: "lateness of ranked games' ticks beside calls of the model context protocol",
  rows: (options) => [createBesideMcpRow(options)],
};
