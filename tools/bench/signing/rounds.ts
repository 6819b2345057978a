/** Measures the sides of one comparison in turns: user and system time of the process for each operation. */

import { median } from "../median.ts";

export interface Row {
  readonly id: "P1" | "P2" | "P3";
  readonly what: string;
  readonly side: string;
  /** One operation; `n` counts up, so that no side can use a cache. Throws when the result is wrong. */
  readonly work: (n: number) => unknown;
}

const ROUNDS = 9;
/** Long enough for the CPU time clock, whose resolution is milliseconds on some systems. */
const ROUND_MS = 150;

async function repeat(work: Row["work"], from: number, times: number): Promise<number> {
  const before = process.cpuUsage();
  for (let n = from; n < from + times; n++) {
    const pending = work(n);
    // An await without a promise would be charged to the synchronous side.
    if (pending instanceof Promise) await pending;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

/** Measures all sides and prints a line for each. The first one is ours; the others are compared with it. */
export async function runRows(rows: readonly Row[]): Promise<void> {
  const sides = [];
  for (const row of rows) {
    await repeat(row.work, 0, 200);
    const us = await repeat(row.work, 200, 200);
    sides.push({ row, times: Math.ceil((ROUND_MS * 1000) / us), next: 400, us: [] as number[] });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      side.us.push(await repeat(side.row.work, side.next, side.times));
      side.next += side.times;
    }
  }
  const ours = median(sides[0]!.us);
  for (const { row, us } of sides) {
    const own = median(us);
    const ratio = row === rows[0] ? "" : `${(own / ours).toFixed(1)} x`;
    console.log(`| ${row.id} | ${row.what} | ${row.side} | ${own.toFixed(own < 10 ? 2 : 1)} us | ${ratio} |`);
  }
}
