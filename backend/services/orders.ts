import type { Clock, LiveSessions, Log, OperatorStore } from "../ports.ts";

const POLL_MS = 1000;

interface OrderPorts {
  readonly store: Pick<OperatorStore, "openOrders" | "completeOrder">;
  readonly live: Pick<LiveSessions, "end">;
  readonly clock: Clock;
  readonly log: Log;
}

export type Orders = ReturnType<typeof makeOrders>;

/** Carries out what an operator ordered from another process: the store is where the two meet. */
export function makeOrders({ store, live, clock, log }: OrderPorts) {
  let cancel = (): void => undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  /** Ends every session that an order names. One that does not run here is left to the process that has it. */
  async function carryOut(): Promise<number> {
    let count = 0;
    for (const { sessionId, who } of await store.openOrders()) {
      if ((await live.end(sessionId, "server_restart")) === null) continue;
      await store.completeOrder(sessionId, clock.nowMs());
      log.info({ sessionId, who }, "a session was ended by the operator");
      count += 1;
    }
    return count;
  }

  const poll = (): void => {
    running = carryOut()
      .then(() => undefined)
      .catch((fault: unknown) => log.warn({ err: fault }, "the operator's orders could not be read"))
      .then(() => {
        if (!stopped) cancel = clock.after(POLL_MS, poll);
      });
  };

  return {
    carryOut,
    start: () => {
      cancel = clock.after(POLL_MS, poll);
    },
    /** Waits for what is under way. */
    async stop(): Promise<void> {
      stopped = true;
      cancel();
      await running;
    },
  };
}
