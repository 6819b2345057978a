/**
 * `npm run lab -- bench fan-out`: the cost of a frame that viewers receive (P7) beside naive `ws`, each in a process of
 * its own, and beside the floor: prepared bytes written to each socket.
 */
import type { Benchmark } from "./compare/types.ts";
import { createFanOutRows } from "./ws/fan-out.ts";

export const benchmark: Benchmark = {
  summary: "CPU for each frame that a viewer receives, beside naive ws",
  rows: createFanOutRows,
};
