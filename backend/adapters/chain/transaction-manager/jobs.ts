/** Calls that are about to become transactions. */
import { ArcadeError } from "../../../../domain/errors.ts";
import type { PayoutsFailedError } from "../../../../domain/operator-transactions.ts";
import { SponsorshipExceededError } from "../../../../domain/sponsorship.ts";
import type { TransactionRow } from "../../../ports/store/chain.ts";
import type { NewRelay } from "../../../ports/store/relays.ts";
import type { ChainWriter } from "../../../ports/transactions.ts";

export type SubmitRequest = Parameters<ChainWriter["submit"]>[0];

export interface Job {
  readonly request: SubmitRequest;
  readonly resolve: (row: TransactionRow) => void;
  readonly reject: (cause: unknown) => void;
}

export interface PreparedJob extends Job {
  readonly gas: bigint;
}

/** The relay stored with a transaction; empty if the operator pays for itself. */
export function toRelay({ request, gas }: PreparedJob, { id }: TransactionRow): readonly NewRelay[] {
  return request.relay === undefined ? [] : [{ ...request.relay, gas: Number(gas), transactionId: id }];
}

/** Rejects the relays that exceed the bounds of their day, and returns the other jobs. */
export function rejectExceeded(
  jobs: readonly PreparedJob[],
  { exceeded }: SponsorshipExceededError,
): readonly PreparedJob[] {
  const isExceeded = ({ request: { relay } }: Job): boolean => relay !== undefined && exceeded.has(relay.relayId);
  for (const job of jobs) {
    const { relay } = job.request;
    if (isExceeded(job))
      job.reject(new SponsorshipExceededError(new Map([[relay!.relayId, exceeded.get(relay!.relayId)!]])));
  }
  return jobs.filter((job) => !isExceeded(job));
}

/** Rejects the payouts that another backend has failed, and returns the other jobs. */
export function rejectFailed(jobs: readonly PreparedJob[], { payoutIds }: PayoutsFailedError): readonly PreparedJob[] {
  const isFailed = ({ request: { kind, key } }: Job): boolean => kind === "payout" && payoutIds.has(key);
  for (const job of jobs.filter(isFailed))
    job.reject(new ArcadeError("TX_FAILED", `Payout ${job.request.key} has failed; request another one.`));
  return jobs.filter((job) => !isFailed(job));
}
