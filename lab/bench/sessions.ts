/** `npm run lab -- bench sessions`: sessions that one process can tick in time (P8), beside naive `ws` and Colyseus. */
import type { Benchmark } from "./compare/types.ts";
import { createSessionsRows } from "./ws/sessions-per-core.ts";

export const benchmark: Benchmark = {
  summary: "sessions of one process whose ticks are in time, beside naive ws and Colyseus",
  rows: createSessionsRows,
};
