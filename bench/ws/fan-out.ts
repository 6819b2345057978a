/** P7: what a delivered frame costs the server's process, side by side. */
import { Driver, median, pause, ratio } from "./driver.ts";

const SIDES = ["arcade", "naive", "colyseus", "socket.io", "floor"] as const;
const ROUND_MS = 1_000;
/** All sides run together at first, until their code is compiled: a server is measured as it runs after hours. */
const WARM_UP_MS = 8_000;

/** CPU per delivered frame with so many viewers of each session, in alternating rounds; prints a row for each side. */
async function fanOut(viewers: number, sessions: number, rounds: number): Promise<void> {
  const sides = [];
  for (const side of SIDES) {
    const driver = await Driver.start(side);
    await driver.open(sessions, 20, viewers);
    sides.push({ driver, us: [] as number[], kernelUs: [] as number[], bytes: 0 });
  }
  await pause(WARM_UP_MS);
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
      // Rounds are compared in pairs: what else the machine did changes from one to the next.
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

/** Few viewers of many sessions, where the game weighs most, and many viewers of few. */
export async function fanOutRows(): Promise<void> {
  await fanOut(4, 100, 7);
  await fanOut(20, 25, 7);
}
