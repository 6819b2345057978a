/**
 * `npm run bench -- capacity`: one server process that holds 500 sessions at 20 Hz, each with its player and four
 * spectators on sockets of another process, and its database on disk.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./compare/statistics.ts";
import { Driver, describeMachine } from "./ws/driver.ts";
import type { Measurement } from "./ws/server.ts";

const SESSIONS = 500;
const SPECTATORS = 4;
const TICK_HZ = 20;
const WINDOWS = 5;
const WINDOW_MS = 5000;

export async function run(): Promise<void> {
  console.log(describeMachine());
  const folder = await mkdtemp(join(tmpdir(), "arcade-bench-"));
  const driver = await Driver.start("arcade", `sqlite:${join(folder, "arcade.sqlite")}`);
  try {
    await driver.open(SESSIONS, TICK_HZ, SPECTATORS, { player: true });
    const windows: Measurement[] = [];
    for (let i = 0; i < WINDOWS; i++) windows.push(await driver.measure(WINDOW_MS));
    const toMedian = (read: (window: Measurement) => number, digits = 1): string =>
      median(windows.map(read)).toFixed(digits);
    console.log(`
| what | median of ${WINDOWS} windows of ${WINDOW_MS / 1000} s | bar |
|---|---|---|
| sessions x (player + spectators) | ${SESSIONS} x (1 + ${SPECTATORS}), ${TICK_HZ} Hz | |
| frames delivered a second | ${toMedian((window) => (window.ticks * (1 + SPECTATORS)) / window.seconds, 0)} | |
| a tick's lateness, 99 of 100 at most | ${toMedian((window) => window.p99LateMs)} ms (worst window ${Math.max(...windows.map((window) => window.p99LateMs)).toFixed(1)}) | ${250 / TICK_HZ} ms |
| error of the tick rate | ${toMedian((window) => window.rateError * 100, 3)} % | 0.1 % |
| resident memory, at most | ${Math.max(...windows.map((window) => window.rssMb)).toFixed(0)} MB | 400 MB |
| CPU | ${toMedian((window) => window.cpuMs / window.seconds / 10, 0)} % of a core | |
`);
  } finally {
    await driver.stop();
    await rm(folder, { recursive: true, force: true });
  }
  console.log(describeMachine());
}
