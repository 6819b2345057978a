/**
 * `npm run bench -- ws`: fan-out (P7), sessions per core (P8), tick isolation (P9) and compact frames (P11), with naive
 * `ws`, Colyseus and socket.io beside it in the same run. Prints the tables of docs/benchmarks.md.
 */
import { compact } from "./ws/compact.ts";
import { machine } from "./ws/driver.ts";
import { fanOutRows } from "./ws/fan-out.ts";
import { isolation } from "./ws/isolation.ts";
import { sessionsPerCore } from "./ws/sessions-per-core.ts";

export async function run(): Promise<void> {
  const startedMs = performance.now();
  console.log(machine());
  console.log("\n| # | what | side | figure (median) | ours to it | note |\n|---|---|---|---|---|---|");
  compact();
  await fanOutRows();
  for (const tickHz of [20, 30, 60]) await sessionsPerCore(tickHz);
  await isolation();
  console.log(`\n${machine()}; took ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
}
