/** P9: ticks beside signatures and sign-ins, in one process of our game server. */

import type { Options, Row, Side } from "../compare/types.ts";
import { findMissing } from "../compare/work.ts";
import { type CryptoMode, SIGN_INS_PER_SECOND, SIGNATURES_PER_SECOND } from "./crypto.ts";
import { Driver } from "./driver.ts";

const TICK_HZ = 30;
const NOTHING = "nothing beside the ticks";
/** Operations that are under way when a window ends. */
const TOLERANCE = 0.05;
/** With viem a thread has too little time for all signatures and all ticks; the figure shows how late its ticks are. */
const VIEM_TOLERANCE = 0.5;

/** The sides are kinds of load in the same process, which the first one starts. */
function createSides(sessions: number, windowMs: number) {
  let driver: Driver | null = null;
  const start = async (): Promise<void> => {
    if (driver !== null) return;
    driver = await Driver.start("arcade");
    await driver.open(sessions, TICK_HZ, 1);
  };
  const stop = async (): Promise<void> => {
    await driver?.stop();
    driver = null;
  };
  return (name: string, mode: CryptoMode): Side => ({
    name,
    start,
    stop,
    runRound: async () => {
      const measured = await driver!.measure(windowMs, mode, mode === "viem" ? VIEM_TOLERANCE : undefined);
      const { signatures, signIns, seconds, cpuMs } = measured;
      const tolerance = mode === "viem" ? VIEM_TOLERANCE : TOLERANCE;
      const missing = findMissing([
        { what: "signatures", done: signatures, expected: seconds * SIGNATURES_PER_SECOND, tolerance },
        { what: "sign-ins", done: signIns, expected: seconds * SIGN_INS_PER_SECOND, tolerance },
      ]);
      return {
        value: measured.p99LateMs,
        missing: measured.missing ?? (mode === "none" ? null : missing),
        more: { "ms of CPU a second": cpuMs / seconds },
      };
    },
  });
}

export function createIsolationRow({ isQuick }: Options): Row {
  const sessions = isQuick ? 20 : 300;
  const createSide = createSides(sessions, isQuick ? 500 : 2000);
  const load = `${SIGNATURES_PER_SECOND} signatures and ${SIGN_INS_PER_SECOND} sign-ins a second`;
  return {
    id: "P9",
    what: `${load} beside ${sessions} sessions at ${TICK_HZ} Hz`,
    rounds: isQuick ? 3 : 9,
    figure: { name: "lateness of a tick, 99 of 100 at most", unit: "ms", better: "lower" },
    sides: [
      createSide("Agent Arcade", "service"),
      createSide(NOTHING, "none"),
      createSide("viem on the thread of the ticks", "viem"),
    ],
    idle: createSide("idle", "idle"),
    bars: [{ against: NOTHING, share: 1.5 }],
  };
}
