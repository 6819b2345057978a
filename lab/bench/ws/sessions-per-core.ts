/**
 * P8: the most sessions, with one spectator each, whose ticks are in time. A round is a new
 * process that opens more and more sessions until its ticks are late.
 */
import type { Bar, Options, Row, Side } from "../compare/types.ts";
import { Driver } from "./driver.ts";
import type { Measurement } from "./server.ts";

const WINDOW_MS = 900;
/** Levels as shares of the sessions that would use a whole core, by the first measurement of a tick's CPU time. */
const LEVELS = [0.3, 0.5, 0.8, 1.1, 1.4] as const;
/** Windows of each level: other load may disturb one of them. */
const ATTEMPTS = 3;
const OURS = "Agent Arcade";
const CORRECTED = "naive ws with corrected timers";

const NAMES: { readonly [side: string]: string } = {
  arcade: OURS,
  naive: "naive ws",
  colyseus: "Colyseus",
  corrected: CORRECTED,
  idle: "idle",
};

/** The allowed error of the tick rate. The peers have none: their intervals drift, which the row reports. */
const getMaxRateError = (key: string): number => (key === "arcade" ? 0.001 : Number.POSITIVE_INFINITY);

interface Best {
  /** The last level whose ticks were in time and at the rate asked of the side, and the last one in time only. */
  kept: number;
  inTime: number;
  rateError: number;
}

/** What is measured; `isQuick`: only the first level, and without a bound of lateness and rate. */
interface Load {
  readonly tickHz: number;
  readonly isQuick: boolean;
}

const isInTime = ({ p99LateMs }: Measurement, { tickHz, isQuick }: Load): boolean =>
  isQuick || p99LateMs < 250 / tickHz;

const keepsRate = ({ rateError }: Measurement, key: string, { isQuick }: Load): boolean =>
  isQuick || Math.abs(rateError) < getMaxRateError(key);

/** Measures the level that is open. Returns false where ticks were late in all windows. */
async function tryLevel(driver: Driver, sessions: number, load: Load, best: Best): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const measured = await driver.measure(WINDOW_MS);
    if (measured.missing !== null || !isInTime(measured, load)) continue;
    best.inTime = sessions;
    if (!keepsRate(measured, driver.name, load)) continue;
    best.kept = sessions;
    best.rateError = measured.rateError;
    return true;
  }
  return best.inTime === sessions;
}

async function findMostSessions(driver: Driver, load: Load): Promise<Best> {
  const { tickHz } = load;
  const first = Math.round(2000 / tickHz);
  await driver.open(first, tickHz, 1);
  await driver.measure(2 * WINDOW_MS);
  const { cpuMs, ticks } = await driver.measure(WINDOW_MS);
  const full = (1000 * ticks) / (cpuMs * tickHz);
  const best: Best = { kept: 0, inTime: 0, rateError: 0 };
  let sessions = first;
  for (const level of load.isQuick ? [0] : LEVELS) {
    const wanted = Math.round(full * level);
    if (wanted > sessions) await driver.open(wanted - sessions, tickHz, 1);
    sessions = Math.max(sessions, wanted);
    if (!(await tryLevel(driver, sessions, load, best))) break;
  }
  return best;
}

const createSide = (key: string, load: Load): Side => ({
  name: NAMES[key]!,
  runRound: async () => {
    const driver = await Driver.start(key);
    try {
      const { kept, inTime, rateError } = await findMostSessions(driver, load);
      return {
        value: kept,
        missing: kept === 0 ? "no level with every frame and in time" : null,
        more: { "sessions in time, at any rate": inTime, "% error of the rate": rateError * 100 },
      };
    } finally {
      await driver.stop();
    }
  },
});

function createRow(tickHz: number, { isQuick }: Options): Row {
  const load = { tickHz, isQuick };
  const [ours, ...peers] = ["arcade", "naive", "colyseus", "corrected"].map((key) => createSide(key, load));
  const bars: readonly Bar[] = [
    { against: NAMES.naive!, times: 1.25 },
    { against: NAMES.colyseus!, times: 1.6 },
  ];
  return {
    id: "P8",
    what: `sessions with a spectator each at ${tickHz} Hz`,
    rounds: isQuick ? 1 : 3,
    bars,
    figure: { name: "sessions of one process in time", unit: "sessions", better: "higher" },
    sides: [ours!, ...peers],
    idle: createSide("idle", load),
  };
}

export const createSessionsRows = (options: Options): readonly Row[] =>
  (options.isQuick ? [20] : [20, 30, 60]).map((tickHz) => createRow(tickHz, options));
