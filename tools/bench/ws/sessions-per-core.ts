/** P8: the most sessions, with one spectator each, whose ticks are in time and at the right rate. */
import { Driver, ratio, sleep } from "./driver.ts";
import type { Measurement } from "./server.ts";

const SIDES = ["arcade", "naive", "corrected", "colyseus"] as const;
const WINDOW_MS = 900;
/** The wait after new sessions were opened, before the measurement. */
const SETTLE_MS = 400;
/** Levels as shares of the sessions that would use a whole core, by the first measurement of a tick's CPU time. */
const LOADS = [0.3, 0.5, 0.8, 1.1, 1.4] as const;
/** The allowed error of the tick rate; intervals of Node drift. */
const getMaxRateError = (side: string): number => (side === "arcade" ? 0.001 : 0.01);

interface Best {
  sessions: number;
  figures: string;
}

interface Candidate {
  readonly driver: Driver;
  /** Sessions that use a whole core, by the first measurement. */
  readonly full: number;
  open: number;
  /** The last level with ticks in time, and the last one that also kept their rate. */
  readonly inTime: Best;
  readonly kept: Best;
  hasLostRate: boolean;
  isOut: boolean;
}

const isInTime = ({ p99LateMs }: Measurement, tickHz: number): boolean => p99LateMs < 250 / tickHz;
const keepsRate = ({ rateError }: Measurement, side: string): boolean => Math.abs(rateError) < getMaxRateError(side);

async function startCandidate(side: string, tickHz: number): Promise<Candidate> {
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

async function raiseLoad(candidate: Candidate, load: number, tickHz: number): Promise<void> {
  const { driver, full } = candidate;
  driver.resume();
  const wanted = Math.round(full * load);
  if (wanted > candidate.open) {
    await driver.open(wanted - candidate.open, tickHz, 1);
    candidate.open = wanted;
    await sleep(SETTLE_MS);
  }
  const sessions = candidate.open;
  let inTime = false;
  let kept = false;
  // Each level has three windows, since other load may disturb one. A rate that was lost does not recover.
  for (let attempt = 0; attempt < 3 && !kept && !(inTime && candidate.hasLostRate); attempt++) {
    const measured = await driver.measure(WINDOW_MS);
    const figures = `p99 ${measured.p99LateMs.toFixed(1)} ms late, rate ${(measured.rateError * 100).toFixed(2)} %, ${((measured.cpuMs * 1000) / measured.ticks).toFixed(0)} us CPU a tick`;
    const isOnTime = isInTime(measured, tickHz);
    if (isOnTime && !inTime) Object.assign(candidate.inTime, { sessions, figures });
    inTime ||= isOnTime;
    if (isOnTime && keepsRate(measured, driver.name)) {
      kept = true;
      Object.assign(candidate.kept, { sessions, figures });
    }
  }
  candidate.hasLostRate ||= inTime && !kept;
  candidate.isOut = !inTime;
  driver.freeze();
}

/** Raises the level for each side in turn until its ticks are late; prints a row for each side. */
export async function runSessionsPerCore(tickHz: number): Promise<void> {
  const candidates: Candidate[] = [];
  try {
    for (const side of SIDES) candidates.push(await startCandidate(side, tickHz));
    for (const load of LOADS) {
      for (const candidate of candidates) if (!candidate.isOut) await raiseLoad(candidate, load, tickHz);
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
