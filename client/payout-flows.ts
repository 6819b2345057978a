/** An agent's payout as a flow: sent by the operator or by the wallet. */
import type { PayoutReason, PayoutView, TokenInfo } from "./api.ts";
import type { ArcadeClient } from "./client.ts";
import { ArcadeApiError, ArcadeChainError, isApiError } from "./errors.ts";
import { type FlowOptions, getWallet, sendFromWallet } from "./flows.ts";
import type { Receipt } from "./wallet.ts";

export type PayoutResult =
  | { readonly paid: true; readonly payout: PayoutView; readonly token: TokenInfo }
  | {
      readonly paid: false;
      readonly reasons: readonly PayoutReason[];
      readonly nextEligibleAt: string | null;
      /** When to try again, by the chain's clock; null if the service does not return it. */
      readonly eligibleInSeconds: number | null;
      readonly token: TokenInfo;
    };

const POLL_ATTEMPTS = 120;
const POLL_MS = 1_000;
/** Covers the seconds until the block after the end of a cooldown: a service knows the chain's time from its blocks. */
const ASK_ATTEMPTS_MAX = 20;
/** Reasons that pass with a cooldown. Caps last until the end of a day or week; the other reasons need an action. */
const COOLDOWN_REASONS: readonly unknown[] = ["COOLDOWN_ACTIVE", "IDENTITY_TOO_NEW"] satisfies readonly PayoutReason[];

/**
 * How many milliseconds to wait before the next payout request. Null if waiting does not help, or takes longer than
 * `waitMaxMs`. Takes a `PayoutResult`, or the fields of a fresh `PAYOUT_NOT_READY` error. Uses the chain's clock, which
 * may differ from this machine's; `nowMs` counts only if the service does not return the chain's time.
 */
export function getPayoutWaitMs(
  notReady: { readonly reasons?: unknown; readonly nextEligibleAt?: unknown; readonly eligibleInSeconds?: unknown },
  waitMaxMs: number,
  nowMs: number = Date.now(),
): number | null {
  const { reasons, nextEligibleAt, eligibleInSeconds } = notReady;
  if (!Array.isArray(reasons) || reasons.some((reason) => !COOLDOWN_REASONS.includes(reason))) return null;
  const leftMs =
    typeof eligibleInSeconds === "number" ? eligibleInSeconds * 1_000 : Date.parse(String(nextEligibleAt)) - nowMs;
  // One second more, because the contract compares whole seconds.
  return leftMs <= waitMaxMs ? Math.max(0, leftMs) + 1_000 : null;
}

/**
 * Pays the wallet's scorebank through the operator and waits for the payout's block, or returns why it cannot. With
 * `waitMaxMs` it waits for a cooldown that ends within this time, and up to 20 s more for the block after it.
 */
export async function requestPayout(
  options: FlowOptions & { readonly gameSlug?: string; readonly waitMaxMs?: number },
): Promise<PayoutResult> {
  const { client, waitMaxMs } = options;
  const startedAtMs = Date.now();
  for (let attempt = 1; ; attempt++) {
    const result = await askForPayout(options);
    if (result.paid || waitMaxMs === undefined || attempt === ASK_ATTEMPTS_MAX) return result;
    // Not below 0: after a cooldown ends, wait for the block that shows it.
    const waitMs = getPayoutWaitMs(result, Math.max(0, startedAtMs + waitMaxMs - Date.now()));
    if (waitMs === null) return result;
    await client.retry.sleep(waitMs);
  }
}

async function askForPayout(options: FlowOptions & { readonly gameSlug?: string }): Promise<PayoutResult> {
  const { client, gameSlug, sponsor } = options;
  const readiness = await client.rewards.readiness({});
  const { token, reasons, nextEligibleAt, eligibleInSeconds = null } = readiness;
  // The service returns an open payout again, so this waits for it.
  if (!readiness.ready && !reasons.includes("PAYOUT_PENDING")) {
    return { paid: false, reasons, nextEligibleAt, eligibleInSeconds, token };
  }
  try {
    const initialPayout = await client.rewards.payout({
      ...(gameSlug === undefined ? {} : { gameSlug }),
      ...(sponsor === true ? { sponsor } : {}),
    });
    return { paid: true, payout: await waitForPayout(client, initialPayout), token };
  } catch (error) {
    if (!isApiError(error, "PAYOUT_NOT_READY")) throw error;
    return {
      paid: false,
      reasons: (error.fields.reasons ?? []) as readonly PayoutReason[],
      nextEligibleAt: (error.fields.nextEligibleAt ?? null) as string | null,
      eligibleInSeconds: (error.fields.eligibleInSeconds ?? null) as number | null,
      token,
    };
  }
}

async function waitForPayout(client: ArcadeClient, initialPayout: PayoutView): Promise<PayoutView> {
  let payout = initialPayout;
  for (let tries = 0; payout.status === "pending" || payout.status === "sent"; tries++) {
    if (tries === POLL_ATTEMPTS) {
      throw new ArcadeChainError(
        "TX_TIMEOUT",
        `Payout ${payout.payoutId} still waits for its block; request it again later.`,
      );
    }
    await client.retry.sleep(POLL_MS);
    payout = await client.rewards.payoutStatus({ payoutId: payout.payoutId });
  }
  if (payout.status === "included") return payout;
  throw new ArcadeApiError({
    code: "TX_FAILED",
    message: `Payout ${payout.payoutId} failed${payout.txHash === null ? "" : ` (${payout.txHash})`}; check readiness and ask again.`,
    status: 409,
    retryable: false,
    fields: { ...payout },
  });
}

/** The wallet sends the payout and pays its gas. It gets the amount in the service's response, or nothing. */
export async function sendPayoutFromWallet(options: FlowOptions): Promise<Receipt> {
  const { client } = options;
  const { address } = getWallet(options);
  const prepared = await client.rewards.payoutCall({ mode: "self" });
  const { chainId, rewards } = await client.getContracts();
  const args = [address, prepared.amount];
  return sendFromWallet(options, prepared, { chainId, to: rewards, functionName: "payoutAtLeast", args });
}
