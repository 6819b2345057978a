import { randomUUID } from "node:crypto";
import { privateKeyToAccount } from "viem/accounts";
import type { ChainWriter, Clock, LedgerTransaction, Log, TransactionRow, TransactionStore } from "../../../ports.ts";
import { loggable, type Rpc } from "../rpc.ts";
import { createLedger, viewOf } from "./ledger.ts";
import { createSender } from "./sender.ts";

type Hex = `0x${string}`;

/** While transactions only wait for confirmations, looks are this many times rarer. */
const YOUNG_FACTOR = 8;

export interface OperatorOptions {
  readonly rpc: Rpc;
  readonly store: TransactionStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly privateKey: Hex;
  readonly confirmations: number;
  readonly pollMs: number;
  /** After this time without a block a transaction is sent again at a higher price. */
  readonly stuckMs: number;
}

export interface Operator extends ChainWriter {
  /** Looks at the open transactions at once; resolves when that look is over. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** How often a nonce is asked for again that another backend of the same operator took meanwhile. */
const CREATE_TRIES = 20;

/**
 * The operator's transactions. Each is signed and stored with its nonce before it is sent, so that a crash at any
 * point leaves nothing that a restart does not find and finish.
 */
export function startOperator(options: OperatorOptions): Operator {
  const { rpc, store, clock, log, pollMs } = options;
  const account = privateKeyToAccount(options.privateKey);
  const sender = createSender(rpc, account);
  const ledger = createLedger({ ...options, account, sender });
  const listeners = new Set<() => void>();
  let queue: Promise<unknown> = Promise.resolve();
  let cancelTimer: (() => void) | null = null;
  let looking: Promise<void> | null = null;
  let closed = false;

  /** Nonces are given out one at a time, and nobody heals the ledger meanwhile. */
  function alone<T>(run: () => Promise<T>): Promise<T> {
    const result = queue.then(run);
    queue = result.catch(() => undefined);
    return result;
  }

  function schedule(delayMs: number): void {
    cancelTimer?.();
    if (!closed) cancelTimer = clock.after(delayMs, () => void look());
  }

  async function lookOnce(): Promise<void> {
    try {
      const { waiting, young } = await alone(() => ledger.look());
      if (waiting > 0) schedule(pollMs);
      else if (young > 0) schedule(pollMs * YOUNG_FACTOR);
    } catch (error) {
      log.debug(loggable(error), "the operator's transactions could not be looked at; trying again");
      schedule(pollMs);
    }
    for (const listener of listeners) listener();
  }

  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => {
      looking = null;
    });
    return looking;
  }

  async function create(request: Parameters<ChainWriter["submit"]>[0], tries = CREATE_TRIES): Promise<TransactionRow> {
    const { kind, key, to, data, value = 0n } = request;
    const known = await store.findByKey(kind, key);
    if (known !== null) return known;
    const { minedCount, ...plan } = await sender.plan({ to, data, value });
    // A key that somebody used by hand has moved on without the ledger.
    const nonce = Math.max(minedCount, ((await store.lastNonce(account.address)) ?? -1) + 1);
    const signed = await sender.sign({ to, data, value }, nonce, plan);
    const row: TransactionRow = {
      id: randomUUID(),
      kind,
      key,
      from: account.address,
      nonce,
      to,
      data,
      value,
      ...signed,
      status: "queued",
      block: null,
      createdAtMs: clock.nowMs(),
      sentAtMs: null,
    };
    try {
      await store.add(row);
    } catch (error) {
      // Another backend of this operator may have taken key or nonce between the look and the write.
      const isKeyTaken = (await store.findByKey(kind, key)) !== null;
      const isNonceTaken = ((await store.lastNonce(account.address)) ?? -1) >= nonce;
      if (tries > 1 && (isKeyTaken || isNonceTaken)) return await create(request, tries - 1);
      throw error;
    }
    return await ledger.broadcast(row).catch((error: unknown) => {
      log.warn({ ...loggable(error), transaction: row.id }, "a transaction is stored and not sent yet");
      return row;
    });
  }

  async function settled(id: string, timeoutMs: number): Promise<LedgerTransaction> {
    let timedOut = false;
    let isFirst = true;
    let wake = (): void => undefined;
    const listener = (): void => wake();
    const cancel = clock.after(timeoutMs, () => {
      timedOut = true;
      wake();
    });
    listeners.add(listener);
    try {
      for (;;) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const row = await store.find(id);
        if (row === null) throw new Error(`There is no transaction ${id} in the ledger`);
        const view = viewOf(row);
        if (view.status === "included" || view.status === "failed" || timedOut || closed) return view;
        if (isFirst) void look();
        isFirst = false;
        await changed;
      }
    } finally {
      cancel();
      listeners.delete(listener);
    }
  }

  schedule(0);

  return {
    operator: account.address,
    submit: async (request) => {
      const row = await alone(() => create(request));
      schedule(pollMs);
      return viewOf(row);
    },
    settled: (id, timeoutMs) => settled(id, timeoutMs),
    find: async (id) => {
      const row = await store.find(id);
      return row === null ? null : viewOf(row);
    },
    look,
    close: async () => {
      closed = true;
      cancelTimer?.();
      for (const listener of listeners) listener();
      await looking;
      await queue;
    },
  };
}
