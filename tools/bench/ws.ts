/**
 * `npm run bench -- ws`: fan-out (P7), sessions per core (P8), tick isolation (P9) and compact frames (P11), with naive
 * `ws`, Colyseus and socket.io beside it in the same run. Prints the tables of docs/benchmarks.md.
 */
import { runCompact } from "./ws/compact.ts";
import { describeMachine } from "./ws/driver.ts";
import { runFanOut } from "./ws/fan-out.ts";
import { runIsolation } from "./ws/isolation.ts";
import { runSessionsPerCore } from "./ws/sessions-per-core.ts";

export async function run(): Promise<void> {
  const startedMs = performance.now();
  console.log(describeMachine());
  console.log("\n| # | what | side | figure (median) | ours to it | note |\n|---|---|---|---|---|---|");
  runCompact();
  await runFanOut();
  for (const tickHz of [20, 30, 60]) await runSessionsPerCore(tickHz);
  await runIsolation();
  console.log(`\n${describeMachine()}; took ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
}
