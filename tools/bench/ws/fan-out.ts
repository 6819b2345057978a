/** P7: the CPU time of the server's process for a delivered frame, side by side. */
import { median } from "../compare/statistics.ts";
import { Driver, ratio, sleep } from "./driver.ts";

const SIDES = ["arcade", "naive", "colyseus", "socket.io", "floor"] as const;
const ROUND_MS = 1_000;
/** The warm-up, in which all sides run together until their code is compiled. */
const WARM_UP_MS = 8_000;

/** CPU per delivered frame with so many viewers of each session, in alternating rounds; prints a row for each side. */
async function measureFanOut(viewers: number, sessions: number, rounds: number): Promise<void> {
  const sides = [];
  for (const side of SIDES) {
    const driver = await Driver.start(side);
    await driver.open(sessions, 20, viewers);
    sides.push({ driver, us: [] as number[], kernelUs: [] as number[], bytes: 0 });
  }
  await sleep(WARM_UP_MS);
  for (const { driver } of sides) driver.freeze();
  try {
    for (let round = 0; round < rounds; round++) {
      for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
        const { cpuMs, systemMs, ticks, received } = await side.driver.measure(ROUND_MS);
        side.driver.freeze();
        side.us.push((cpuMs * 1000) / (ticks * viewers));
        side.kernelUs.push((systemMs * 1000) / (ticks * viewers));
        side.bytes = received / (ticks * viewers);
      }
    }
    const [ours] = sides;
    for (const { driver, us, kernelUs, bytes } of sides) {
      // Rounds are compared in pairs, since the other load of the machine changes between rounds.
      const ratios = us.map((theirs, round) => ours!.us[round]! / theirs);
      const size = driver.name === "colyseus" ? "" : `, ${bytes.toFixed(0)} bytes`;
      console.log(
        `| P7 | ${viewers} viewers x ${sessions} sessions, 20 Hz | ${driver.name} | ${median(us).toFixed(1)} us CPU a frame | ${median(ratios).toFixed(2)} (medians ${ratio(median(ours!.us), median(us))}) | ${median(kernelUs).toFixed(1)} us of it in the kernel${size} |`,
      );
    }
  } finally {
    for (const { driver } of sides) await driver.stop();
  }
}

/** Few spectators of many sessions, where the game costs most, and many spectators of few sessions. */
export async function runFanOut(): Promise<void> {
  await measureFanOut(4, 100, 7);
  await measureFanOut(20, 25, 7);
}
