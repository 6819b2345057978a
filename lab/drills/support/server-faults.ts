/**
 * Loaded into a backend of a drill before its own modules (`node --import`): removes one of its safeguards
 * (`DRILL_FAULT`), or shifts its wall clock by the milliseconds in a file (`DRILL_CLOCK_FILE`). Also makes its memory
 * measurable.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { collectOnSignal } from "./collected-memory.ts";

const CLOCK_POLL_MS = 20;

/** Shifts the machine's time from now on, as an administrator or NTP would. Writes each shift to `PATH.seen`. */
function followShift(path: string): void {
  const { now } = Date;
  let shiftMs = 0;
  Date.now = () => now() + shiftMs;
  setInterval(() => {
    const nextMs = Number(readFileSync(path, "utf8"));
    if (nextMs === shiftMs) return;
    shiftMs = nextMs;
    writeFileSync(`${path}.seen`, String(shiftMs));
  }, CLOCK_POLL_MS).unref();
}

const FAULTS: { readonly [name: string]: () => Promise<void> } = {
  /** Lets a call to the node take twenty times its deadline. */
  deadlines: async () => {
    const { systemClock } = await import("../../../backend/adapters/system/clock.ts");
    const { after } = systemClock;
    systemClock.after = (delayMs, run) => {
      const isDeadline = new Error().stack?.includes("/adapters/chain/rpc.ts") === true;
      return after(isDeadline ? delayMs * 20 : delayMs, run);
    };
  },
  /** Treats a score as done once it has been signed, whatever happens to its transaction. */
  "signed-is-done": async () => {
    const { Rewards } = await import("../../../backend/services/rewards/rewards.ts");
    const { snapshot } = Rewards.prototype;
    const signed = new Set<string>();
    Rewards.prototype.snapshot = async function (request) {
      const result = await snapshot.call(this, request);
      if (result.mode !== "sign") return result;
      const { sessionId, gameSlug, gameSessionHash, scoreDelta } = result;
      if (signed.has(sessionId))
        return { mode: "already_done", sessionId, gameSlug, gameSessionHash, scoreDelta, txHash: null };
      signed.add(sessionId);
      return result;
    };
  },
  /** Answers a failed write as if it were stored. */
  "swallowed-writes": async () => {
    const { GroupCommit } = await import("../../../backend/adapters/store/group-commit.ts");
    const { write } = GroupCommit.prototype;
    GroupCommit.prototype.write = function <T>(this: InstanceType<typeof GroupCommit>, run: never): Promise<T> {
      return (write.call(this, run) as Promise<T>).catch(() => undefined as T);
    };
  },
  /** Uses the wall clock as it is, even if it goes back. */
  "raw-clock": async () => {
    const { systemClock } = await import("../../../backend/adapters/system/clock.ts");
    systemClock.nowMs = () => Date.now();
  },
  /** Queues every tick for every socket, read or not. */
  queue: async () => {
    const { injectFault } = await import("./game-faults.ts");
    injectFault("queue", {} as never);
  },
};

if (isMainThread) {
  collectOnSignal();
  const { DRILL_CLOCK_FILE, DRILL_FAULT = "" } = process.env;
  if (DRILL_CLOCK_FILE !== undefined) followShift(DRILL_CLOCK_FILE);
  await FAULTS[DRILL_FAULT]?.();
}
