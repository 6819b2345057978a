/** Sides of one comparison, measured in turns: user and system time of the process for each operation. */

export interface Row {
  readonly id: "P1" | "P2" | "P3";
  readonly what: string;
  readonly side: string;
  /** One operation; `n` counts up, so that no side can live on a cache. Throws where the answer is wrong. */
  readonly work: (n: number) => unknown;
}

const ROUNDS = 9;
/** Long enough for the clock of CPU time, which some systems move in steps of milliseconds. */
const ROUND_MS = 150;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

async function repeat(work: Row["work"], from: number, times: number): Promise<number> {
  const before = process.cpuUsage();
  for (let n = from; n < from + times; n++) {
    const pending = work(n);
    // Waiting for what is there already would be charged to the side that does not ask for it.
    if (pending instanceof Promise) await pending;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

/** Measures all sides and prints a line for each. The first one is ours, which the others are compared with. */
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
