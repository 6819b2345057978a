/**
 * `npm run lab -- bench isolation`: how late ticks are beside signatures and sign-ins (P9): the cryptography only, and whole
 * signed endpoints through HTTP.
 */
import type { Benchmark } from "./compare/types.ts";
import { createHttpIsolationRow } from "./endpoint/isolation.ts";
import { createIsolationRow } from "./ws/isolation.ts";

export const benchmark: Benchmark = {
  summary: "lateness of ticks beside the service's signatures, sign-ins and signed endpoints",
  rows: (options) => [createIsolationRow(options), createHttpIsolationRow(options)],
};
