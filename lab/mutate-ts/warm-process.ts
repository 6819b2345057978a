/** A warm process: started on demand, and ended with all its children if a run takes too long. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

interface WarmProcessOptions {
  /** Starts a process that leads its group and sends one message when it is ready. */
  readonly start: () => ChildProcess;
  /** Runs per process, which bounds memory and the effects that killed mutants leave behind. */
  readonly runsMax: number;
}

export interface WarmProcess<Order, Answer> {
  /** Null if the time limit has passed or the process has ended. */
  run(order: Order, limitMs: number): Promise<Answer | null>;
  /** True if nothing has run in it yet. */
  isFresh(): boolean;
  /** The next run gets a new process. */
  stop(): void;
}

/** The next message; null if the time limit has passed or the process has ended. */
function waitForMessage<T>(child: ChildProcess, limitMs: number): Promise<T | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(null), limitMs);
    function settle(message: T | null): void {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(message);
    }
    child.once("message", (message) => settle(message as T));
    child.once("exit", () => settle(null));
  });
}

async function waitForStart(child: ChildProcess): Promise<ChildProcess> {
  const [started] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (started !== "ready") throw new Error("expected the process of the mutants to start, it ended");
  return child;
}

export function createWarmProcess<Order extends object, Answer>({
  start,
  runsMax,
}: WarmProcessOptions): WarmProcess<Order, Answer> {
  let child: ChildProcess | null = null;
  let runs = 0;

  function stop(): void {
    const pid = child?.pid;
    child = null;
    runs = 0;
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }

  return {
    async run(order, limitMs) {
      if (runs >= runsMax) stop();
      child ??= await waitForStart(start());
      runs += 1;
      child.send(order);
      const answer = await waitForMessage<Answer>(child, limitMs);
      if (answer === null) stop();
      return answer;
    },
    isFresh: () => runs === 0,
    stop,
  };
}

/**
 * Returns what `look` finds, or null. An earlier mutant may have changed the process: if it does not behave as before
 * without a mutant, `look` is repeated in a new one.
 */
export async function findInSoundProcess<Found>(
  { isFresh, stop }: Pick<WarmProcess<never, never>, "isFresh" | "stop">,
  look: () => Promise<Found | null>,
  isSound: (found: Found) => Promise<boolean>,
): Promise<Found | null> {
  for (;;) {
    const wasFresh = isFresh();
    const found = await look();
    // A process that did not answer has been ended.
    if (found === null || wasFresh || isFresh() || (await isSound(found))) return found;
    stop();
  }
}
