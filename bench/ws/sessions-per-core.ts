/** P8: the most sessions, with one viewer each, whose ticks come in time and as often as they should. */
import { Driver, pause, ratio } from "./driver.ts";
import type { Measured } from "./server.ts";

const SIDES = ["arcade", "naive", "corrected", "colyseus"] as const;
const WINDOW_MS = 900;
/** After new sessions came in: what waited meanwhile is caught up before anything is measured. */
const SETTLE_MS = 400;
/** Of the sessions that would keep a core busy by the CPU that a tick takes at first; ticks get cheaper as they crowd. */
const LOADS = [0.3, 0.5, 0.8, 1.1, 1.4] as const;
/** How far the tick rate may be off; intervals of Node drift by themselves. */
const rateErrorMax = (side: string): number => (side === "arcade" ? 0.001 : 0.01);

interface Best {
  sessions: number;
  figures: string;
}

interface Candidate {
  readonly driver: Driver;
  /** Sessions that keep a core busy, as first measured. */
  readonly full: number;
  open: number;
  /** The last level at which ticks came in time, and the last at which their rate was kept too. */
  readonly inTime: Best;
  readonly kept: Best;
  hasLostRate: boolean;
  isOut: boolean;
}

const isInTime = ({ p99LateMs }: Measured, tickHz: number): boolean => p99LateMs < 250 / tickHz;
const isKept = ({ rateError }: Measured, side: string): boolean => Math.abs(rateError) < rateErrorMax(side);

async function begin(side: string, tickHz: number): Promise<Candidate> {
  const driver = await Driver.start(side);
  const open = Math.round(2000 / tickHz);
  await driver.open(open, tickHz, 1);
  // The first window warms up.
  await driver.measure(500);
  const { cpuMs, ticks } = await driver.measure(WINDOW_MS);
  driver.freeze();
  const full = (1000 * ticks) / (cpuMs * tickHz);
  const none = { sessions: 0, figures: "" };
  return { driver, full, open, inTime: { ...none }, kept: { ...none }, hasLostRate: false, isOut: false };
}

async function climb(candidate: Candidate, load: number, tickHz: number): Promise<void> {
  const { driver, full } = candidate;
  driver.resume();
  const wanted = Math.round(full * load);
  if (wanted > candidate.open) {
    await driver.open(wanted - candidate.open, tickHz, 1);
    candidate.open = wanted;
    await pause(SETTLE_MS);
  }
  const sessions = candidate.open;
  let inTime = false;
  let kept = false;
  // Other work on the machine may disturb a window: each level has three. A rate that was lost does not come back.
  for (let attempt = 0; attempt < 3 && !kept && !(inTime && candidate.hasLostRate); attempt++) {
    const measured = await driver.measure(WINDOW_MS);
    const figures = `p99 ${measured.p99LateMs.toFixed(1)} ms late, rate ${(measured.rateError * 100).toFixed(2)} %, ${((measured.cpuMs * 1000) / measured.ticks).toFixed(0)} us CPU a tick`;
    const isOnTime = isInTime(measured, tickHz);
    if (isOnTime && !inTime) Object.assign(candidate.inTime, { sessions, figures });
    inTime ||= isOnTime;
    if (isOnTime && isKept(measured, driver.name)) {
      kept = true;
      Object.assign(candidate.kept, { sessions, figures });
    }
  }
  candidate.hasLostRate ||= inTime && !kept;
  candidate.isOut = !inTime;
  driver.freeze();
}

/** Climbs level by level, the sides taking turns, until each is late; prints a row for each. */
export async function sessionsPerCore(tickHz: number): Promise<void> {
  const candidates: Candidate[] = [];
  try {
    for (const side of SIDES) candidates.push(await begin(side, tickHz));
    for (const load of LOADS) {
      for (const candidate of candidates) if (!candidate.isOut) await climb(candidate, load, tickHz);
    }
    const [ours] = candidates;
    for (const { driver, kept, inTime } of candidates) {
      console.log(
        `| P8 | ${tickHz} Hz, 1 viewer each | ${driver.name} | ${kept.sessions} sessions a core | ${kept.sessions === 0 ? "-" : ratio(ours!.kept.sessions, kept.sessions)} | ${kept.figures || "at no level"}; in time alone: ${inTime.sessions} (${inTime.figures}) |`,
      );
    }
  } finally {
    for (const { driver } of candidates) await driver.stop();
  }
}
