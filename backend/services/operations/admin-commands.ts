import type { LiveSessions } from "../../ports/live.ts";
import type { OperatorStore, TransactionOrderRow } from "../../ports/store/admin.ts";
import type { Clock, Log } from "../../ports/system.ts";
import type { ChainWriter } from "../../ports/transactions.ts";

const POLL_MS = 1000;

interface AdminCommandPorts {
  readonly store: Pick<
    OperatorStore,
    "listOpenCommands" | "completeCommand" | "listOpenTransactionOrders" | "completeTransactionOrder"
  >;
  readonly writer: Pick<ChainWriter, "order">;
  readonly live: Pick<LiveSessions, "end">;
  /** False while another backend reconciles the operator's transactions. */
  readonly mayOrder: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Carries out the commands that the operator's process has written to the store. */
export class AdminCommands {
  readonly #ports: AdminCommandPorts;
  #cancelPoll = (): void => undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(ports: AdminCommandPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#cancelPoll = this.#ports.clock.after(POLL_MS, () => this.#poll());
  }

  /** Resolves when the commands in progress have finished. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelPoll();
    await this.#running;
  }

  /** Ends the sessions that commands refer to and that run in this process; other processes end theirs. */
  async runPending(): Promise<number> {
    const { store, live, clock, log } = this.#ports;
    let count = 0;
    for (const { sessionId, who } of await store.listOpenCommands()) {
      if ((await live.end(sessionId, "server_restart")) === null) continue;
      await store.completeCommand(sessionId, clock.nowMs());
      log.info({ sessionId, who }, "a session was ended by the operator");
      count += 1;
    }
    return count + (await this.#runTransactionOrders());
  }

  async #runTransactionOrders(): Promise<number> {
    const { store, log, mayOrder } = this.#ports;
    if (!mayOrder()) return 0;
    let count = 0;
    for (const order of await store.listOpenTransactionOrders())
      try {
        await this.#runTransactionOrder(order);
        count += 1;
      } catch (error) {
        // The next poll tries again; other orders do not wait for it.
        const { transactionId: transaction, action } = order;
        log.warn({ err: error, transaction, action }, "an order for a transaction could not be carried out yet");
      }
    return count;
  }

  async #runTransactionOrder({ orderId, transactionId, action, who }: TransactionOrderRow): Promise<void> {
    const { store, writer, clock, log } = this.#ports;
    const outcome = await writer.order(transactionId, action, orderId);
    // safeguard: complete-order
    await store.completeTransactionOrder(orderId, outcome, clock.nowMs());
    log.info({ transaction: transactionId, action, outcome, who }, "an order for a transaction was carried out");
  }

  #poll(): void {
    const { log } = this.#ports;
    this.#running = this.runPending()
      .then(() => undefined)
      .catch((error: unknown) => log.warn({ err: error }, "the operator's commands could not be read"))
      .then(() => {
        if (!this.#isStopped) this.start();
      });
  }
}
