/** P9: ticks beside signatures and sign-ins. */

import { median } from "../compare/statistics.ts";
import type { CryptoMode } from "./crypto.ts";
import { Driver, ratio } from "./driver.ts";

const ROUNDS = 9;
const SIDES = { none: "idle", service: "Agent Arcade's own", viem: "viem on the tick thread" } as const;

export async function runIsolation(): Promise<void> {
  const driver = await Driver.start("arcade");
  try {
    await driver.open(300, 30, 1);
    const runs = Object.entries(SIDES).map(([by, side]) => ({
      ...{ by: by as CryptoMode, side },
      ...{ lateMs: [] as number[], signatures: [] as number[], signIns: [] as number[], cpuMs: [] as number[] },
    }));
    for (let round = 0; round < ROUNDS; round++) {
      for (const run of round % 2 === 0 ? runs : [...runs].reverse()) {
        const measured = await driver.measure(2000, run.by);
        run.lateMs.push(measured.p99LateMs);
        run.signatures.push(measured.signatures / measured.seconds);
        run.signIns.push(measured.signIns / measured.seconds);
        run.cpuMs.push(measured.cpuMs / measured.seconds);
      }
    }
    const idle = median(runs[0]!.lateMs);
    for (const { side, lateMs, signatures, signIns, cpuMs } of runs) {
      const own = median(lateMs);
      console.log(
        `| P9 | 300 sessions, 30 Hz | crypto: ${side} | p99 ${own.toFixed(2)} ms late | ${ratio(own, idle)} of idle | ${median(signatures).toFixed(0)} signatures, ${median(signIns).toFixed(0)} sign-ins, ${median(cpuMs).toFixed(0)} ms CPU a second |`,
      );
    }
  } finally {
    await driver.stop();
  }
}
