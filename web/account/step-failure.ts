/** Texts for errors of the service, the chain and the wallet. */
import { ArcadeApiError, ArcadeChainError } from "../../client/errors.ts";
import { isRejection } from "../../client/wallet.ts";
import { FAILURE_LABELS } from "../labels/account.ts";

/** A failed step: what happened, what to do next, and the request's id for the operator. */
export interface StepFailure {
  readonly code: string;
  readonly message: string;
  readonly next: string | null;
  readonly requestId: string | null;
}

const getCode = (error: unknown): string => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" || typeof code === "number" ? String(code) : "UNKNOWN";
};

export function toStepFailure(error: unknown): StepFailure {
  if (isRejection(error)) return { code: "REJECTED", message: FAILURE_LABELS.rejected, next: null, requestId: null };
  const code = error instanceof ArcadeChainError ? (error.revertName ?? error.code) : getCode(error);
  const message = error instanceof Error ? error.message : FAILURE_LABELS.unknown;
  const next = Object.hasOwn(FAILURE_LABELS.next, code) ? FAILURE_LABELS.next[code]! : null;
  return { code, message, next, requestId: error instanceof ArcadeApiError ? error.requestId : null };
}
