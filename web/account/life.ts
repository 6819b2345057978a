/** The whole life of an agent as steps with a state each: gas, identity, sign-in, play, snapshot, NFT, payout. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { formatEther, formatUnits } from "viem";
import { findGame } from "../../backend/games/index.ts";
import type { Hex, PayoutReason, StartedSession } from "../../client/api.ts";
import { attestSession } from "../../client/attest.ts";
import { isApiError } from "../../client/errors.ts";
import { mintOrUpgradeNft, registerAgent, snapshotScore } from "../../client/flows.ts";
import { type PayoutResult, requestPayout } from "../../client/payout-flows.ts";
import { playSession } from "../../client/play.ts";
import type { Transcript } from "../../client/transcript.ts";
import { LIFE_STEPS, type LifeStep, NFT_REASON_LABELS, PAYOUT_REASON_LABELS, STEP_TEXTS } from "../labels/account.ts";
import { SessionState } from "../session/session-state.ts";
import { type Account, signInAccount } from "../wallet/account.ts";
import { signedInAddress } from "../wallet/wallets.ts";
import { type StepFailure, toStepFailure } from "./step-failure.ts";

/** The outcome of a step. `isNothing`: there was nothing to do. */
export interface StepResult {
  readonly text: string;
  readonly txHash?: Hex | null;
  readonly isNothing?: boolean;
}

export type StepState =
  | { readonly status: "waiting" | "running" }
  | { readonly status: "done"; readonly result: StepResult }
  | { readonly status: "failed"; readonly failure: StepFailure };

/** With less than this, the gas step asks the faucet. */
const GAS_MIN_WEI = 10n ** 16n;
/** A start may have to end a session of an earlier visit first. */
const START_ATTEMPTS_MAX = 3;
const PLAYBACK_DELAY_TICKS = 1;

const WAITING: StepState = { status: "waiting" };

const createStates = (): { readonly [step in LifeStep]: Signal<StepState> } =>
  Object.fromEntries(LIFE_STEPS.map((step) => [step, signal(WAITING)])) as {
    readonly [step in LifeStep]: Signal<StepState>;
  };

/** The steps of one account in one game. Each runs on a click, can be repeated, and never throws. */
export class Life {
  readonly account: Account;
  readonly slug: Signal<string>;
  readonly states = createStates();
  /** What the page's agent plays now; null before its first run. */
  readonly session: Signal<SessionState | null> = signal(null);
  /** The step that runs now, null where none does: steps run one after the other. */
  readonly running: Signal<LifeStep | null> = signal(null);
  /** The first step that is not done. */
  readonly next: ReadonlySignal<LifeStep | null> = computed(
    () => LIFE_STEPS.find((step) => this.states[step].value.status !== "done") ?? null,
  );
  /** Raised after each step, so that what the page has read is read again. */
  readonly version: Signal<number> = signal(0);
  readonly #abortController = new AbortController();

  constructor(account: Account, slug: string) {
    this.account = account;
    this.slug = signal(slug);
  }

  /** Runs a step unless another one runs; its outcome is its state. */
  async run(step: LifeStep): Promise<void> {
    if (this.running.value !== null) return;
    this.running.value = step;
    const state = this.states[step];
    state.value = { status: "running" };
    try {
      state.value = { status: "done", result: await this.#work[step]() };
      // A new score is a new reason to go on.
      if (step === "play")
        for (const later of ["snapshot", "mint", "payout"] as const) this.states[later].value = WAITING;
    } catch (error) {
      state.value = { status: "failed", failure: toStepFailure(error) };
    } finally {
      this.running.value = null;
      this.version.value += 1;
    }
  }

  /** Finds out what an earlier visit has done. Never throws. */
  async readProgress(): Promise<void> {
    const { address, publicClient, client } = this.account;
    const [balance, status] = await Promise.all([
      publicClient.getBalance({ address }).catch(() => 0n),
      client.identity.ownershipStatus({ walletAddress: address }).catch(() => null),
    ]);
    if (balance >= GAS_MIN_WEI) this.#setDone("gas", STEP_TEXTS.gasHeld(formatEther(balance)));
    if (status?.owned === true) this.#setDone("register", STEP_TEXTS.registered(status.agentId ?? ""));
    if (signedInAddress.value?.toLowerCase() === address.toLowerCase()) this.#setDone("signIn", STEP_TEXTS.signedIn);
  }

  /** Leaves the page: the run goes on without its player, and ends by itself. */
  leave(): void {
    this.#abortController.abort();
  }

  #setDone(step: LifeStep, text: string): void {
    const state = this.states[step];
    if (state.value.status === "waiting") state.value = { status: "done", result: { text, isNothing: true } };
  }

  readonly #work: { readonly [step in LifeStep]: () => Promise<StepResult> } = {
    gas: () => this.#getGas(),
    register: () => this.#register(),
    signIn: async () => {
      await signInAccount(this.account);
      return { text: STEP_TEXTS.signedIn };
    },
    play: () => this.#play(),
    snapshot: () => this.#snapshot(),
    mint: () => this.#mint(),
    payout: () => this.#payout(),
  };

  async #getGas(): Promise<StepResult> {
    const { address, publicClient, client, chain, wallet } = this.account;
    const balance = await publicClient.getBalance({ address });
    if (balance >= GAS_MIN_WEI || !chain.isLocal)
      return { text: STEP_TEXTS.gasHeld(formatEther(balance)), isNothing: true };
    const { txHash, amount } = await client.dev.faucet({ address });
    await wallet.waitForReceipt(txHash);
    return { text: STEP_TEXTS.gasReceived(formatEther(BigInt(amount))), txHash };
  }

  async #register(): Promise<StepResult> {
    const { client, address } = this.account;
    const { agentId, receipt } = await registerAgent({ client, agentName: STEP_TEXTS.agentName(address) });
    return { text: STEP_TEXTS.registered(agentId), txHash: receipt?.txHash ?? null, isNothing: receipt === null };
  }

  /** Plays one run with the game's own bot, and signs its replay. */
  async #play(): Promise<StepResult> {
    const { client } = this.account;
    const slug = this.slug.value;
    const game = findGame(slug)!;
    const state = new SessionState(game.tickHz, PLAYBACK_DELAY_TICKS);
    let transcript: Transcript | null = null;
    const session = await this.#startSession(slug);
    this.session.value = state;
    const { score } = await playSession({
      ...{ client, session, signal: this.#abortController.signal },
      bot: (game.bots.quick ?? game.bots.reference)(AGENT_PLAY_MS),
      onHello: (hello) => state.onHello(hello),
      onFrame: (frame) => state.onFrame(frame),
      onEvent: (event) => state.onEvent(event),
      onTranscript: (kept) => {
        transcript = kept;
      },
    });
    const isAttested = await this.#attest(slug, transcript);
    return { text: STEP_TEXTS.played(score, isAttested) };
  }

  /** Whether the wallet has signed the replay; it may decline, and the score counts all the same. */
  async #attest(slug: string, transcript: Transcript | null): Promise<boolean> {
    if (transcript === null) return false;
    try {
      return (await attestSession({ client: this.account.client, slug, transcript })).verdict === "ATTESTED";
    } catch {
      return false;
    }
  }

  async #startSession(slug: string): Promise<StartedSession> {
    const { client } = this.account;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await client.sessions.start({ slug, source: "agent_api" });
      } catch (error) {
        if (attempt === START_ATTEMPTS_MAX || !isApiError(error, "SESSION_ACTIVE")) throw error;
        await client.sessions.end({ slug, sessionId: String(error.fields.sessionId) });
      }
    }
  }

  async #snapshot(): Promise<StepResult> {
    const { mode, scoreDelta, txHash } = await snapshotScore({ client: this.account.client });
    if (mode === "none") return { text: STEP_TEXTS.nothingToSnapshot, isNothing: true };
    return { text: STEP_TEXTS.snapshotted(scoreDelta), txHash };
  }

  async #mint(): Promise<StepResult> {
    const slug = this.slug.value;
    const { action, reason, tier, tokenId, receipt } = await mintOrUpgradeNft({ client: this.account.client, slug });
    if (action === "none") return { text: NFT_REASON_LABELS[reason!], isNothing: true };
    const tierName = findGame(slug)?.nft.tiers.find((entry) => entry.tier === tier)?.name ?? String(tier);
    return { text: STEP_TEXTS[action](tokenId ?? "", tierName), txHash: receipt?.txHash ?? null };
  }

  /** A short time between payouts is waited for. */
  async #payout(): Promise<StepResult> {
    const { client } = this.account;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await requestPayout({ client });
      const { decimals, symbol } = outcome.token;
      if (outcome.paid) {
        const { amount, score, txHash } = outcome.payout;
        return { text: STEP_TEXTS.paid(formatUnits(BigInt(amount), decimals), symbol, score), txHash };
      }
      const waitMs = attempt === PAYOUT_ATTEMPTS_MAX ? null : getWaitMs(outcome);
      if (waitMs === null) throw new PayoutNotReadyError(outcome.reasons, outcome.nextEligibleAt);
      await client.retry.sleep(waitMs);
    }
  }
}

const PAYOUT_ATTEMPTS_MAX = 4;
const PAYOUT_WAIT_MAX_MS = 30_000;
const TIME_REASONS: readonly PayoutReason[] = ["COOLDOWN_ACTIVE", "IDENTITY_TOO_NEW"];

/** How long until only the time has kept the payout back; null where waiting does not help or takes too long. */
function getWaitMs({ reasons, nextEligibleAt }: Extract<PayoutResult, { readonly paid: false }>): number | null {
  if (nextEligibleAt === null || reasons.some((reason) => !TIME_REASONS.includes(reason))) return null;
  const leftMs = Date.parse(nextEligibleAt) - Date.now();
  // One second more: the contract compares block times in whole seconds.
  return leftMs > PAYOUT_WAIT_MAX_MS ? null : Math.max(0, leftMs) + 1000;
}

/** How long the page's agent plays well before it lets itself lose, in milliseconds of game time. */
const AGENT_PLAY_MS = 24_000;

/** The contract does not pay now. */
class PayoutNotReadyError extends Error {
  readonly code = "PAYOUT_NOT_READY";

  constructor(reasons: readonly PayoutReason[], nextEligibleAt: string | null) {
    const when =
      nextEligibleAt === null ? "" : ` ${STEP_TEXTS.tryAfter(new Date(nextEligibleAt).toLocaleTimeString())}`;
    super(`${reasons.map((reason) => PAYOUT_REASON_LABELS[reason]).join(" ")}${when}`);
    this.name = "PayoutNotReadyError";
  }
}
