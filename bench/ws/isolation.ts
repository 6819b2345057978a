/** P9: ticks beside signatures and sign-ins. */
import { Driver, median } from "./driver.ts";

export async function isolation(): Promise<void> {
  const driver = await Driver.start("arcade");
  try {
    await driver.open(300, 30, 1);
    const runs = { none: [] as number[], service: [] as number[], in_process: [] as number[] };
    for (let round = 0; round < 5; round++) {
      for (const crypto of ["none", "service", "in_process"] as const) {
        const measured = await driver.measure(1500, crypto);
        runs[crypto].push(measured.p99LateMs);
        if (round === 0 && crypto === "service") {
          console.log(
            `(P9: ${Math.round(measured.signatures / measured.seconds)} signatures and ${Math.round(measured.signIns / measured.seconds)} sign-ins a second reached)`,
          );
        }
      }
    }
    const idle = median(runs.none);
    for (const [crypto, values] of Object.entries(runs)) {
      console.log(
        `| P9 | 300 sessions, 30 Hz | crypto: ${crypto} | p99 ${median(values).toFixed(2)} ms late | ${(median(values) / idle).toFixed(2)} | |`,
      );
    }
  } finally {
    await driver.stop();
  }
}
