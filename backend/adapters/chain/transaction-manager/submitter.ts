import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { ArcadeError } from "../../../../domain/errors.ts";
import { OperatorBudgetError, OperatorGasError, type OperatorPolicy } from "../../../../domain/operator-policy.ts";
import { PayoutsFailedError } from "../../../../domain/operator-transactions.ts";
import { SponsorshipExceededError } from "../../../../domain/sponsorship.ts";
import type { TransactionRow, TransactionStore } from "../../../ports/store/chain.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import { toLogFields } from "../rpc-errors.ts";
import type { OperatorAccount } from "./account.ts";
import type { BatchSize } from "./batch-size.ts";
import { type Job, type PreparedJob, rejectExceeded, rejectFailed, type SubmitRequest, toRelay } from "./jobs.ts";
import type { AccountState, OperatorWallet } from "./operator-wallet.ts";
import type { Sender } from "./sender.ts";
import type { SerialQueue } from "./serial-queue.ts";
import { SignedToday } from "./signed-today.ts";

export interface SubmitterOptions {
  readonly account: OperatorAccount;
  readonly wallet: OperatorWallet;
  readonly store: TransactionStore;
  readonly sender: Sender;
  readonly batchSize: BatchSize;
  /** Nonces are assigned inside this queue. */
  readonly nonces: SerialQueue;
  readonly clock: Clock;
  readonly log: Log;
  /** Limits what the key signs; null: no limits. */
  readonly policy?: OperatorPolicy | null;
  /** Called for a call that exceeds the policy's gas or its calls per day. */
  readonly onRefused: (request: SubmitRequest, error: ArcadeError) => void;
  /** Called if the node rejects fees as too low. */
  readonly onUnderpriced: () => void;
}

/** The number of batches in preparation: while one waits for the node, others are signed and sent. */
const BATCHES_IN_FLIGHT_MAX = 6;
/** Signatures (about 0.1 ms each) between two turns of the event loop, which also runs the ticks. */
const SIGNATURES_PER_TURN = 20;
/** How often new nonces are tried if another backend with the same operator key keeps taking them. */
const STORE_ATTEMPTS_MAX = 20;

/** A call that the node's simulation rejects, or that needs more gas than the policy allows. */
interface FailedJob extends Job {
  readonly error: ArcadeError;
}

const toCall = ({ to, data, value = 0n }: SubmitRequest) => ({ to, data, value });

const toSimulatedCall = (request: SubmitRequest) => ({
  ...toCall(request),
  isRelay: request.relay !== undefined,
  // The mint of an identity calls the wallet for its consent.
  runsWalletCode: request.relay?.kind === "identity",
});

/**
 * Turns calls into transactions, as many at once as are waiting: simulated in one request, stored with consecutive
 * nonces in one commit, then sent in one request. A row is always stored before it is sent.
 */
export class Submitter {
  readonly #options: SubmitterOptions;
  /** Unfinished submissions, by kind and key. */
  readonly #pending = new Map<string, Promise<TransactionRow>>();
  readonly #signedToday: SignedToday;
  #jobs: Job[] = [];
  #batches = 0;
  #isScheduled = false;

  constructor(options: SubmitterOptions) {
    this.#options = options;
    this.#signedToday = new SignedToday(options.store, options.account.address);
  }

  /** The transaction of this (kind, key): the stored one, or a new one that is signed, stored and sent. */
  submit(request: SubmitRequest): Promise<TransactionRow> {
    const key = JSON.stringify([request.kind, request.key]);
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const submission = new Promise<TransactionRow>((resolve, reject) => {
      this.#jobs.push({ request, resolve, reject });
    }).finally(() => this.#pending.delete(key));
    this.#pending.set(key, submission);
    this.#schedule();
    return submission;
  }

  /** Resolves when every submission so far is finished. */
  async waitUntilIdle(): Promise<void> {
    await Promise.allSettled(this.#pending.values());
  }

  /** Starts batches after all calls of this turn have arrived. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      while (this.#jobs.length > 0 && this.#batches < BATCHES_IN_FLIGHT_MAX) {
        const batch = this.#jobs.splice(0, this.#options.batchSize.current);
        this.#batches += 1;
        void this.#run(batch)
          .catch((error: unknown) => {
            for (const { reject } of batch) reject(error);
          })
          .finally(() => {
            this.#batches -= 1;
            this.#schedule();
          });
      }
    });
  }

  async #run(batch: readonly Job[]): Promise<void> {
    const jobs = await this.#resolveStored(batch);
    if (jobs.length === 0) return;
    const prepared = await this.#prepare(jobs);
    if (prepared === null) {
      this.#jobs.unshift(...jobs);
      return;
    }
    const stored = await this.#options.nonces.run(() => this.#store(prepared.jobs, prepared.state, STORE_ATTEMPTS_MAX));
    await this.#send(stored);
  }

  /** Rejects the calls that would fail. Null if the calls must be prepared in smaller batches. */
  async #prepare(
    jobs: readonly Job[],
  ): Promise<{ readonly jobs: readonly PreparedJob[]; readonly state: AccountState } | null> {
    const { wallet, batchSize } = this.#options;
    const response = await wallet
      .prepare(jobs.map(({ request }) => toSimulatedCall(request)))
      .catch((error: unknown) => {
        if (batchSize.onFailed(jobs.length)) return null;
        throw error;
      });
    if (response === null) return null;
    const { state, gas } = response;
    const prepared: PreparedJob[] = [];
    const failed: FailedJob[] = [];
    for (const [index, job] of jobs.entries()) {
      const estimate = gas[index]!;
      const { policy } = this.#options;
      if (estimate instanceof ArcadeError) failed.push({ ...job, error: estimate });
      else if (policy != null && estimate > policy.gasPerCall)
        failed.push({ ...job, error: new OperatorGasError(estimate, policy) });
      else prepared.push({ ...job, gas: estimate });
    }
    // A call also fails if another backend has just sent it; that backend has stored it before.
    for (const { error, ...job } of await this.#resolveStored(failed))
      if (error instanceof OperatorGasError) this.#refuse(job, error);
      else job.reject(error);
    return { jobs: prepared, state };
  }

  /** Resolves the submissions whose transaction is stored, and returns the others. */
  async #resolveStored<T extends Job>(jobs: readonly T[]): Promise<readonly T[]> {
    if (jobs.length === 0) return [];
    const rows = await this.#options.store.findByKeys(jobs.map(({ request }) => request));
    const byKey = new Map(rows.map((row) => [JSON.stringify([row.kind, row.key]), row]));
    return jobs.filter(({ request, resolve }) => {
      const row = byKey.get(JSON.stringify([request.kind, request.key]));
      if (row !== undefined) resolve(row);
      return row === undefined;
    });
  }

  #refuse(job: Job, error: ArcadeError): void {
    this.#options.onRefused(job.request, error);
    job.reject(error);
  }

  /** Refuses the jobs that exceed the day's calls, and returns the others. */
  async #refuseBeyondDay(jobs: readonly PreparedJob[], lastNonce: number): Promise<readonly PreparedJob[]> {
    const { policy, clock } = this.#options;
    if (policy == null) return jobs;
    const nowMs = clock.nowMs();
    const left = Math.max(0, policy.callsPerDay - (await this.#signedToday.count(nowMs, lastNonce)));
    for (const job of jobs.slice(left)) this.#refuse(job, new OperatorBudgetError(policy, nowMs));
    return jobs.slice(0, left);
  }

  async #store(
    prepared: readonly PreparedJob[],
    state: AccountState,
    attemptsLeft: number,
  ): Promise<readonly { readonly job: Job; readonly row: TransactionRow }[]> {
    const { account, store } = this.#options;
    const lastNonce = (await store.getLastNonce(account.address)) ?? -1;
    // After the nonce was read: a row that another backend adds later takes the nonce, and everything is read again.
    const jobs = await this.#refuseBeyondDay(prepared, lastNonce);
    if (jobs.length === 0) return [];
    // Transactions sent with this key outside of the store use nonces as well.
    const firstNonce = Math.max(state.minedCount, lastNonce + 1);
    const created: { readonly job: PreparedJob; readonly row: TransactionRow }[] = [];
    for (let from = 0; from < jobs.length; from += SIGNATURES_PER_TURN) {
      if (from > 0) await setImmediate();
      // All at once, since a remote signer responds slowly.
      const sign = async (job: PreparedJob, index: number) => ({
        job,
        row: await this.#sign(job, firstNonce + from + index, state),
      });
      created.push(...(await Promise.all(jobs.slice(from, from + SIGNATURES_PER_TURN).map(sign))));
    }
    try {
      // safeguard: store-before-send
      await store.addMany(
        created.map(({ row }) => row),
        created.flatMap(({ job, row }) => toRelay(job, row)),
      );
      return created;
    } catch (error) {
      if (error instanceof SponsorshipExceededError)
        return await this.#store(rejectExceeded(jobs, error), state, attemptsLeft);
      if (error instanceof PayoutsFailedError) return await this.#store(rejectFailed(jobs, error), state, attemptsLeft);
      // Another backend with this operator key may have taken keys or nonces between read and write.
      const left = await this.#resolveStored(jobs);
      const isNonceTaken = ((await store.getLastNonce(account.address)) ?? -1) >= firstNonce;
      if (attemptsLeft > 1 && (left.length < jobs.length || isNonceTaken))
        return await this.#store(left, state, attemptsLeft - 1);
      throw error;
    }
  }

  async #sign({ request, gas }: PreparedJob, nonce: number, state: AccountState): Promise<TransactionRow> {
    const { account, wallet, clock } = this.#options;
    const call = toCall(request);
    return {
      id: randomUUID(),
      kind: request.kind,
      key: request.key,
      from: account.address,
      nonce,
      ...call,
      ...(await wallet.sign(call, nonce, { ...state, gas })),
      status: "queued",
      block: null,
      createdAtMs: clock.nowMs(),
      sentAtMs: null,
      settledAtMs: null,
      lastError: null,
      cancelledRaw: null,
    };
  }

  async #send(stored: readonly { readonly job: Job; readonly row: TransactionRow }[]): Promise<void> {
    const { sender, log, onUnderpriced } = this.#options;
    let accepted: ReadonlySet<string> = new Set();
    try {
      const result = await sender.send(stored.map(({ row }) => row));
      accepted = result.accepted;
      if (result.underpriced.length > 0) onUnderpriced();
    } catch (error) {
      const fields = { ...toLogFields(error), transactions: stored.length };
      log.warn(fields, "transactions are stored and not sent yet");
    }
    for (const { job, row } of stored) job.resolve(accepted.has(row.id) ? { ...row, status: "sent" } : row);
  }
}
