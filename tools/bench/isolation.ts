/** `npm run bench -- isolation`: how late ticks are beside signatures and sign-ins (P9). */
import type { Benchmark } from "./compare/types.ts";
import { createIsolationRow } from "./ws/isolation.ts";

export const benchmark: Benchmark = {
  summary: "lateness of ticks beside the service's signatures and sign-ins",
  rows: (options) => [createIsolationRow(options)],
};
