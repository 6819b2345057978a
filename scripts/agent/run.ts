/** The lifecycle of one agent: gas, identity, sign-in, games with snapshot and NFT, payout, history. */
import { erc20Abi, formatUnits } from "viem";
import type { PayoutEntry, StartedSession, TokenInfo } from "../../client/api.ts";
import { attestSession } from "../../client/attest.ts";
import { type ArcadeClient, createClient } from "../../client/client.ts";
import { isApiError } from "../../client/errors.ts";
import { mintOrUpgradeNft, registerAgent, type SnapshotResult, snapshotScore } from "../../client/flows.ts";
import { playSession } from "../../client/play.ts";
import type { Transcript } from "../../client/transcript.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import { CommandError } from "../cli/failures.ts";
import { shortenHex } from "../cli/style.ts";
import { AnswerCount } from "./answer-count.ts";
import type { BotFactory } from "./bots.ts";
import type { AgentContext } from "./context.ts";
import { ensureGas } from "./gas.ts";
import { collectPayout, type PayoutResult } from "./payout.ts";
import { type GameNftResult, toNftReport, toPlayReport, toSnapshotReport } from "./reports.ts";
import { makeStepRunner, type StepListener, type StepRunner } from "./steps.ts";
import { getAgentName } from "./wallets.ts";

export interface GameResult {
  readonly slug: string;
  readonly sessionId: string;
  readonly score: number;
  readonly endReason: string;
}

export interface AgentRun {
  readonly name: string;
  readonly address: string;
  readonly agentId: string;
  readonly games: readonly GameResult[];
  readonly snapshots: readonly SnapshotResult[];
  readonly nfts: readonly GameNftResult[];
  readonly payout: PayoutResult;
  /** In whole tokens. */
  readonly balance: string;
  readonly symbol: string;
  readonly scorebank: number;
  /** The latest ones. */
  readonly payouts: readonly PayoutEntry[];
  readonly payoutsTotal: number;
}

export interface AgentRunOptions {
  readonly context: AgentContext;
  readonly wallet: ArcadeWallet;
  readonly slugs: readonly string[];
  /** Number of sessions of each game. */
  readonly sessions: number;
  readonly makeBot: BotFactory;
  /** The operator pays all gas. */
  readonly gasless: boolean;
  readonly listener: StepListener;
  readonly signal?: AbortSignal;
}

/** A start may first have to finish an old session, its snapshot and its NFT. */
const MAX_START_ATTEMPTS = 6;

/** The steps of one agent; each runs a flow of the client and reports it. */
class AgentLifecycle {
  readonly games: GameResult[] = [];
  readonly snapshots: SnapshotResult[] = [];
  readonly nfts: GameNftResult[] = [];
  readonly #client: ArcadeClient;
  readonly #step: StepRunner;
  readonly #options: AgentRunOptions;

  constructor(options: AgentRunOptions) {
    const { context, wallet, slugs, listener } = options;
    this.#options = options;
    this.#step = makeStepRunner(listener);
    this.#client = createClient({ baseUrl: context.url, wallet, slug: slugs[0]!, contracts: context.contracts });
  }

  fundGas(): Promise<void> {
    const { context, wallet, gasless } = this.#options;
    return gasless ? Promise.resolve() : ensureGas(this.#step, this.#client, context, wallet);
  }

  async register(name: string): Promise<string> {
    const { agentId } = await this.#step(
      "identity",
      "registering on chain",
      () => registerAgent({ client: this.#client, agentName: name, sponsor: this.#options.gasless }),
      ({ agentId: id, receipt, relay }) => ({
        message: `${name}, agent #${id}${receipt === null && relay === undefined ? " (registered before)" : " minted"}`,
        gasUsed: receipt?.gasUsed,
        txHash: receipt?.txHash ?? relay?.txHash,
      }),
    );
    return agentId;
  }

  async signIn(): Promise<void> {
    await this.#step(
      "sign-in",
      "signing in",
      () => this.#client.signIn.signIn(),
      ({ walletAddress }) => ({ message: `as ${shortenHex(walletAddress)}` }),
    );
  }

  /** Plays one session, then puts its score on chain and mints or upgrades the game's NFT. */
  async play(slug: string): Promise<void> {
    const { listener, signal, makeBot } = this.#options;
    const answers = new AnswerCount();
    let reconnects = 0;
    const end = await this.#step(
      "play",
      slug,
      async () => {
        let transcript: Transcript | null = null;
        const ended = await playSession({
          client: this.#client,
          session: await this.#startSession(slug),
          bot: answers.count(makeBot(slug)),
          onFrame: (frame) => {
            answers.onFrame(frame);
            listener.frame(slug, frame);
          },
          onReconnect: () => {
            reconnects += 1;
          },
          onTranscript: (kept) => {
            transcript = kept;
          },
          ...(signal === undefined ? {} : { signal }),
        });
        await this.#attest(slug, transcript);
        return ended;
      },
      (ended) => toPlayReport(slug, ended, reconnects, answers),
    );
    const { sessionId, score, endReason } = end;
    this.games.push({ slug, sessionId, score, endReason });
    if (end.next !== null) await this.#snapshot(sessionId, score);
    if (score > 0) await this.#mintNft(slug);
  }

  /** Signs the replay if it matches what was sent. Throws `CommandError` if it does not. */
  async #attest(slug: string, transcript: Transcript | null): Promise<void> {
    if (transcript === null) return;
    const { verdict, reason } = await attestSession({ client: this.#client, slug, transcript });
    if (verdict === "DIVERGED") {
      throw new CommandError(`The service's replay is not the session that was played: ${reason}.`, {
        next: "keep the output, and show it to the operator",
      });
    }
  }

  collectPayout(): Promise<PayoutResult> {
    return collectPayout(this.#client, this.#step, this.#options.gasless);
  }

  /** Reads token balance, scorebank and payout history. */
  readHistory({ address }: TokenInfo) {
    const { context, wallet } = this.#options;
    const { rewards } = this.#client;
    return this.#step(
      "history",
      "reading the history",
      async () => {
        const [units, scorebank, history] = await Promise.all([
          context.publicClient.readContract({
            address,
            abi: erc20Abi,
            functionName: "balanceOf",
            args: [wallet.address],
          }),
          rewards.scorebank({}),
          rewards.payoutHistory({ includeAllGames: true }),
        ]);
        return { units, scorebank: scorebank.score, history };
      },
      ({ scorebank, history: { total } }) => ({
        message: `${total} payout${total === 1 ? "" : "s"} on record, scorebank ${scorebank}`,
      }),
    );
  }

  /** Starts a session, after finishing what an earlier run left unfinished. */
  async #startSession(slug: string): Promise<StartedSession> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#client.sessions.start({ slug, source: "agent_api" });
      } catch (error) {
        if (attempt === MAX_START_ATTEMPTS || !isApiError(error)) throw error;
        const sessionId = String(error.fields.sessionId);
        if (error.code === "SESSION_ACTIVE") await this.#endSession(slug, sessionId);
        else if (error.code === "SNAPSHOT_REQUIRED") await this.#snapshot(sessionId);
        else if (error.code === "NFT_MINT_REQUIRED") await this.#mintNft(slug);
        else throw error;
      }
    }
  }

  async #endSession(slug: string, sessionId: string): Promise<void> {
    await this.#step(
      "resume",
      "ending the session of an earlier run",
      () => this.#client.sessions.end({ slug, sessionId }),
      ({ session }) => ({ message: `ended ${slug} of an earlier run, ${session.score} points`, mark: "warn" }),
    );
  }

  /** `score`: the player's own figure, if this run played the session. */
  async #snapshot(sessionId: string, score?: number): Promise<void> {
    const snapshot = await this.#step(
      "snapshot",
      "putting the score on chain",
      () =>
        snapshotScore({
          client: this.#client,
          sponsor: this.#options.gasless,
          sessionId,
          ...(score === undefined ? {} : { score }),
        }),
      toSnapshotReport,
    );
    if (snapshot.mode !== "none") this.snapshots.push(snapshot);
  }

  async #mintNft(slug: string): Promise<void> {
    const tiers = this.#options.context.instructions.games.find((game) => game.slug === slug)?.nft.tiers ?? [];
    const nft = await this.#step(
      "nft",
      "checking the tier",
      async () => ({
        ...(await mintOrUpgradeNft({ client: this.#client, sponsor: this.#options.gasless, slug })),
        slug,
      }),
      (result) => toNftReport(result, tiers.find(({ tier }) => tier === result.tier)?.name),
    );
    if (nft.action !== "none") this.nfts.push(nft);
  }
}

/** Runs the whole lifecycle. Throws `StepError`, or the error of creating the client. */
export async function runAgentLifecycle(options: AgentRunOptions): Promise<AgentRun> {
  const { address } = options.wallet;
  const name = getAgentName(address);
  const lifecycle = new AgentLifecycle(options);
  // Before spending gas: sign-in rejects a service that claims another domain.
  await lifecycle.signIn();
  await lifecycle.fundGas();
  const agentId = await lifecycle.register(name);
  for (const slug of options.slugs) {
    for (let session = 0; session < options.sessions; session++) await lifecycle.play(slug);
  }
  const payout = await lifecycle.collectPayout();
  const { units, scorebank, history } = await lifecycle.readHistory(payout.token);
  const { games, snapshots, nfts } = lifecycle;
  const { decimals, symbol } = payout.token;
  return {
    name,
    address,
    agentId,
    games,
    snapshots,
    nfts,
    payout,
    scorebank,
    symbol,
    balance: formatUnits(units, decimals),
    payouts: history.items,
    payoutsTotal: history.total,
  };
}
