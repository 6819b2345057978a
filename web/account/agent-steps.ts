/** The steps of an agent, each with a state: gas, identity, sign-in, play, snapshot, NFT, payout. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { formatEther, formatUnits } from "viem";
import type { Hex } from "../../client/api.ts";
import { snapshotAndMint } from "../../client/batched-flows.ts";
import { mintOrUpgradeNft, registerAgent } from "../../client/flows.ts";
import { requestPayout } from "../../client/payout-flows.ts";
import { playSession } from "../../client/play.ts";
import type { Transcript } from "../../client/transcript.ts";
import { findGame } from "../../games/index.ts";
import { NFT_REASON_LABELS, STEP_TEXTS, STEPS, type StepName } from "../labels/account.ts";
import { SessionState } from "../session/session-state.ts";
import { type Account, signInAccount } from "../wallet/account.ts";
import { isSponsored, loadSponsorship, toSponsorOption } from "../wallet/sponsorship.ts";
import { signedInAddress } from "../wallet/wallets.ts";
import { bringOldest, bringScores } from "./bring-scores.ts";
import { PayoutNotReadyError } from "./payout-not-ready.ts";
import { attestRun, startRun } from "./start-run.ts";
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

/** With less than this, the gas step uses the faucet. */
const GAS_MIN_WEI = 10n ** 16n;
const PLAYBACK_DELAY_TICKS = 1;

const WAITING: StepState = { status: "waiting" };

const createStates = (): { readonly [step in StepName]: Signal<StepState> } =>
  Object.fromEntries(STEPS.map((step) => [step, signal(WAITING)])) as {
    readonly [step in StepName]: Signal<StepState>;
  };

/** The steps of one account in one game. Each runs on a click, can be repeated, and never throws. */
export class AgentSteps {
  readonly account: Account;
  readonly slug: Signal<string>;
  readonly states = createStates();
  /** What the page's agent plays now; null before its first run. */
  readonly session: Signal<SessionState | null> = signal(null);
  /** The running step, or null. Steps run one after the other. */
  readonly running: Signal<StepName | null> = signal(null);
  /** The first step that is not done. */
  readonly next: ReadonlySignal<StepName | null> = computed(
    () => STEPS.find((step) => this.states[step].value.status !== "done") ?? null,
  );
  /** Whether the service would pay the gas; the person chooses. */
  readonly canBeSponsored: Signal<boolean> = signal(false);
  /** Raised after each step, so that the page reloads its data. */
  readonly version: Signal<number> = signal(0);
  readonly #abortController = new AbortController();

  constructor(account: Account, slug: string) {
    this.account = account;
    this.slug = signal(slug);
  }

  /** Runs a step unless another one runs; its outcome is its state. */
  async run(step: StepName): Promise<void> {
    if (this.running.value !== null) return;
    this.running.value = step;
    const state = this.states[step];
    state.value = { status: "running" };
    try {
      state.value = { status: "done", result: await this.#work[step]() };
      // A new score allows another snapshot, mint and payout.
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
    const [balance, status, sponsorship] = await Promise.all([
      publicClient.getBalance({ address }).catch(() => 0n),
      client.identity.ownershipStatus({ walletAddress: address }).catch(() => null),
      loadSponsorship(),
    ]);
    this.canBeSponsored.value = sponsorship !== null;
    if (balance >= GAS_MIN_WEI) this.#setDone("gas", STEP_TEXTS.gasHeld(formatEther(balance)));
    if (status?.owned === true) this.#setDone("register", STEP_TEXTS.registered(status.agentId ?? ""));
    if (this.#isSignedIn()) this.#setDone("signIn", STEP_TEXTS.signedIn);
  }

  /** From now on the service sends the wallet's calls and pays their gas, within its daily limits. */
  async letServicePay(): Promise<void> {
    if (this.running.value !== null || isSponsored.value) return;
    const sponsorship = await loadSponsorship();
    isSponsored.value = sponsorship !== null;
    this.canBeSponsored.value = sponsorship !== null;
    if (sponsorship === null) return;
    const text = STEP_TEXTS.sponsored(sponsorship.left.gas);
    this.states.gas.value = { status: "done", result: { text } };
  }

  #isSignedIn(): boolean {
    return signedInAddress.value?.toLowerCase() === this.account.address.toLowerCase();
  }

  /** Leaves the page: the run continues without its player until it ends. */
  leave(): void {
    this.#abortController.abort();
  }

  #setDone(step: StepName, text: string): void {
    const state = this.states[step];
    if (state.value.status === "waiting") state.value = { status: "done", result: { text } };
  }

  readonly #work: { readonly [step in StepName]: () => Promise<StepResult> } = {
    gas: () => this.#getGas(),
    register: () => this.#register(),
    signIn: () => this.#signIn(),
    play: () => this.#play(),
    snapshot: () => this.#snapshot(),
    mint: () => this.#mint(),
    payout: () => this.#payout(),
  };

  async #signIn(): Promise<StepResult> {
    await signInAccount(this.account);
    return { text: STEP_TEXTS.signedIn };
  }

  async #getGas(): Promise<StepResult> {
    isSponsored.value = false;
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
    // The service pays for wallets that have signed in.
    if (isSponsored.value && !this.#isSignedIn())
      this.states.signIn.value = { status: "done", result: await this.#signIn() };
    const agentName = STEP_TEXTS.agentName(address);
    const { agentId, receipt, relay } = await registerAgent({ client, agentName, ...toSponsorOption() });
    const txHash = receipt?.txHash ?? relay?.txHash ?? null;
    return { text: STEP_TEXTS.registered(agentId), txHash, isNothing: txHash === null };
  }

  /** Plays one run with the game's own bot, and signs its replay. */
  async #play(): Promise<StepResult> {
    const { client } = this.account;
    const slug = this.slug.value;
    const game = findGame(slug)!;
    const state = new SessionState(game.tickHz, PLAYBACK_DELAY_TICKS);
    let transcript: Transcript | null = null;
    const session = await startRun(client, slug);
    this.session.value = state;
    const { score } = await playSession({
      client,
      session,
      signal: this.#abortController.signal,
      bot: (game.bots.quick ?? game.bots.reference)(AGENT_PLAY_MS),
      onHello: (hello) => state.onHello(hello),
      onFrame: (frame) => state.onFrame(frame),
      onEvent: (event) => state.onEvent(event),
      onTranscript: (kept) => {
        transcript = kept;
      },
    });
    const isAttested = await attestRun(client, slug, transcript);
    return { text: STEP_TEXTS.played(score, isAttested) };
  }

  async #snapshot(): Promise<StepResult> {
    const { client, wallet } = this.account;
    const { pending } = await client.rewards.scorebank();
    const isOne = pending.length <= 1;
    if (isOne && wallet.sendCalls !== undefined && !isSponsored.value) return this.#snapshotAndMint();
    const brought = await (isOne ? bringOldest : bringScores)({ client, ...toSponsorOption() });
    if (brought === null) return { text: STEP_TEXTS.nothingToSnapshot, isNothing: true };
    return { text: STEP_TEXTS.snapshotted(brought.scoreDelta), txHash: brought.txHash };
  }

  /** Sends snapshot and mint as one batch, which completes the NFT's step too. */
  async #snapshotAndMint(): Promise<StepResult> {
    const result = await snapshotAndMint({ client: this.account.client });
    if (result === null) return { text: STEP_TEXTS.nothingToSnapshot, isNothing: true };
    const { gameSlug, scoreDelta, snapshotTxHash, nft, reason } = result;
    const minted: StepResult =
      nft === null
        ? { text: NFT_REASON_LABELS[reason!], isNothing: true }
        : { text: STEP_TEXTS[nft.action](nft.tokenId, getTierName(gameSlug, nft.tier)), txHash: nft.txHash };
    this.states.mint.value = { status: "done", result: minted };
    return { text: STEP_TEXTS.snapshotted(scoreDelta), txHash: snapshotTxHash };
  }

  async #mint(): Promise<StepResult> {
    const slug = this.slug.value;
    const { client } = this.account;
    const minted = await mintOrUpgradeNft({ client, slug, ...toSponsorOption() });
    const { action, reason, tier, tokenId, receipt } = minted;
    if (action === "none") return { text: NFT_REASON_LABELS[reason!], isNothing: true };
    return {
      text: STEP_TEXTS[action](tokenId ?? "", getTierName(slug, tier)),
      txHash: receipt?.txHash ?? minted.txHash ?? null,
    };
  }

  /** Waits if the next payout will be possible soon. */
  async #payout(): Promise<StepResult> {
    const { client } = this.account;
    const outcome = await requestPayout({ client, waitMaxMs: PAYOUT_WAIT_MAX_MS });
    if (!outcome.paid) throw new PayoutNotReadyError(outcome.reasons, outcome.nextEligibleAt);
    const { payout, token } = outcome;
    const { amount, score, txHash } = payout;
    return { text: STEP_TEXTS.paid(formatUnits(BigInt(amount), token.decimals), token.symbol, score), txHash };
  }
}

const getTierName = (slug: string, tier: number): string =>
  findGame(slug)?.nft.tiers.find((entry) => entry.tier === tier)?.name ?? String(tier);

/** The longest cooldown that the payout step waits for. */
const PAYOUT_WAIT_MAX_MS = 30_000;

/** How long the page's agent plays well before it loses on purpose, in milliseconds of game time. */
const AGENT_PLAY_MS = 24_000;
