/**
 * Loaded into a backend of a drill before its own modules (`node --import`): removes one of its safeguards
 * (`DRILL_FAULT`), or moves its wall clock by the milliseconds that stand in a file (`DRILL_CLOCK_FILE`); makes its
 * memory measurable.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { collectOnSignal } from "./collected-memory.ts";

const CLOCK_POLL_MS = 20;

/** From now on the machine's time is the one that an administrator, or NTP, has set. Writes each shift to `PATH.seen`. */
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
  /** A call to the node may take twenty times as long as its deadline. */
  deadlines: async () => {
    const { systemClock } = await import("../../../backend/adapters/system/clock.ts");
    const { after } = systemClock;
    systemClock.after = (delayMs, run) => {
      const isDeadline = new Error().stack?.includes("/adapters/chain/rpc.ts") === true;
      return after(isDeadline ? delayMs * 20 : delayMs, run);
    };
  },
  /** A score that was signed once counts as done, whatever became of its transaction. */
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
  /** A write that fails is answered like one that is stored. */
  "swallowed-writes": async () => {
    const { GroupCommit } = await import("../../../backend/adapters/store/group-commit.ts");
    const { write } = GroupCommit.prototype;
    GroupCommit.prototype.write = function <T>(this: InstanceType<typeof GroupCommit>, run: never): Promise<T> {
      return (write.call(this, run) as Promise<T>).catch(() => undefined as T);
    };
  },
  /** The wall clock is taken as it is, also when it goes back. */
  "raw-clock": async () => {
    const { systemClock } = await import("../../../backend/adapters/system/clock.ts");
    systemClock.nowMs = () => Date.now();
  },
  /** Every tick is queued for every socket, read or not. */
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
