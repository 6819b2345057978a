/** The whole life of one agent: gas, identity, sign-in, games, snapshots, NFTs, payout, history. */
import { erc20Abi, formatUnits } from "viem";
import type { EndMessage } from "../../client/channel.ts";
import { type ArcadeClient, createClient } from "../../client/client.ts";
import { isApiError } from "../../client/errors.ts";
import { type NftProgress, progressNft, registerAgent, type Snapshotted, snapshotScore } from "../../client/flows.ts";
import { playSession } from "../../client/play.ts";
import type { PayoutEntry, StartedSession } from "../../client/types.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import { short } from "../cli/style.ts";
import type { BotMaker } from "./bots.ts";
import { ensureGas } from "./gas.ts";
import { getPaid, type Paid } from "./payout.ts";
import type { Place } from "./place.ts";
import { makeSteps, type Steps, type Watcher } from "./steps.ts";
import { nameOf } from "./wallets.ts";

export interface GameResult {
  readonly slug: string;
  readonly sessionId: string;
  readonly score: number;
  readonly endReason: string;
}

export interface Journey {
  readonly name: string;
  readonly address: string;
  readonly agentId: string;
  readonly games: readonly GameResult[];
  readonly snapshots: readonly Snapshotted[];
  readonly nfts: readonly (NftProgress & { readonly slug: string })[];
  readonly payout: Paid;
  /** In whole tokens. */
  readonly balance: string;
  readonly symbol: string;
  readonly scorebank: number;
  readonly payouts: readonly PayoutEntry[];
}

export interface JourneyOptions {
  readonly place: Place;
  readonly wallet: ArcadeWallet;
  readonly slugs: readonly string[];
  /** Of each game. */
  readonly sessions: number;
  readonly makeBot: BotMaker;
  readonly watcher: Watcher;
  readonly signal?: AbortSignal;
}

/** What a start may wait for before it succeeds: an old session, its snapshot, its NFT. */
const START_TRIES = 6;

class Traveller {
  readonly games: GameResult[] = [];
  readonly snapshots: Snapshotted[] = [];
  readonly nfts: (NftProgress & { readonly slug: string })[] = [];
  private readonly client: ArcadeClient;
  private readonly step: Steps;
  private readonly options: JourneyOptions;

  constructor(client: ArcadeClient, step: Steps, options: JourneyOptions) {
    this.client = client;
    this.step = step;
    this.options = options;
  }

  async snapshot(sessionId: string): Promise<void> {
    const { client, step } = this;
    const done = await step(
      "snapshot",
      "bringing the score on chain",
      () => snapshotScore({ client, sessionId }),
      ({ mode, scoreDelta, receipt, txHash }) =>
        mode === "none"
          ? { words: "no points to bring on chain", mark: "quiet" }
          : {
              words: `+${scoreDelta} points on chain${mode === "already_done" ? " (before)" : ""}`,
              gasUsed: receipt?.gasUsed,
              txHash,
            },
    );
    if (done.mode !== "none") this.snapshots.push(done);
  }

  async nft(slug: string): Promise<void> {
    const { client, step } = this;
    const tiers = this.options.place.instructions.games.find((game) => game.slug === slug)?.nft.tiers ?? [];
    const done = await step(
      "nft",
      "looking for a tier reached",
      () => progressNft({ client, slug }),
      ({ action, reason, tier, tokenId, receipt }) => {
        if (action === "none") return { words: WHY_NO_NFT[reason ?? ""] ?? String(reason), mark: "quiet" };
        const name = tiers.find((row) => row.tier === tier)?.name;
        return {
          words: `${slug} #${tokenId} ${action === "mint" ? "minted" : "upgraded"}, tier ${tier}${name === undefined ? "" : ` ${name}`}`,
          gasUsed: receipt?.gasUsed,
          txHash: receipt?.txHash,
        };
      },
    );
    if (done.action !== "none") this.nfts.push({ ...done, slug });
  }

  /** Starts a session; whatever an earlier run left behind is finished first. */
  private async start(slug: string): Promise<StartedSession> {
    const { client, step } = this;
    for (let tries = 1; ; tries++) {
      try {
        return await client.sessions.start({ slug, source: "agent_api" });
      } catch (error) {
        if (tries === START_TRIES || !isApiError(error)) throw error;
        const sessionId = String(error.fields.sessionId);
        if (error.code === "SESSION_ACTIVE") {
          await step(
            "resume",
            "ending the session an earlier run left",
            () => client.sessions.end({ slug, sessionId }),
            ({ session }) => ({ words: `ended ${slug} of an earlier run, ${session.score} points`, mark: "warn" }),
          );
        } else if (error.code === "SNAPSHOT_REQUIRED") await this.snapshot(sessionId);
        else if (error.code === "NFT_MINT_REQUIRED") await this.nft(slug);
        else throw error;
      }
    }
  }

  async play(slug: string): Promise<void> {
    const { client, step, options } = this;
    const { watcher, signal } = options;
    let reconnects = 0;
    const end: EndMessage = await step(
      "play",
      slug,
      async () =>
        playSession({
          client,
          session: await this.start(slug),
          bot: options.makeBot(slug),
          onFrame: (frame) => watcher.frame(slug, frame),
          onReconnect: () => {
            reconnects += 1;
          },
          ...(signal === undefined ? {} : { signal }),
        }),
      ({ score, endReason }) => ({
        words: `${slug}: ${score} points, ${endReason.replaceAll("_", " ")}${reconnects === 0 ? "" : `, came back ${reconnects === 1 ? "once" : `${reconnects} times`}`}`,
      }),
    );
    const { sessionId, score, endReason } = end;
    this.games.push({ slug, sessionId, score, endReason });
    if (end.next !== null) await this.snapshot(sessionId);
    if (score > 0) await this.nft(slug);
  }
}

const WHY_NO_NFT: { readonly [reason: string]: string } = {
  BELOW_FIRST_TIER: "below the first tier",
  NOT_NEW_HIGH_SCORE: "no new high score",
  ALREADY_RECORDED: "this score is on the token already",
  TOKEN_TRANSFERRED: "the token belongs to somebody else now",
};

/** Lives the whole loop. Throws `StepError`, or what came before the first step. */
export async function travel(options: JourneyOptions): Promise<Journey> {
  const { place, wallet, watcher } = options;
  const { address } = wallet;
  const step = makeSteps(watcher);
  const client = createClient({ baseUrl: place.url, wallet, slug: options.slugs[0]! });
  const name = nameOf(address);

  await ensureGas(step, client, place, wallet);
  const { agentId } = await step(
    "identity",
    "registering on chain",
    () => registerAgent({ client, agentName: name }),
    ({ agentId: id, receipt }) => ({
      words: `${name}, agent #${id}${receipt === null ? " (registered before)" : " minted"}`,
      gasUsed: receipt?.gasUsed,
      txHash: receipt?.txHash,
    }),
  );
  await step(
    "sign-in",
    "signing in",
    () => client.signIn.signIn(),
    ({ walletAddress }) => ({ words: `as ${short(walletAddress)}` }),
  );

  const traveller = new Traveller(client, step, options);
  for (const slug of options.slugs) {
    for (let session = 0; session < options.sessions; session++) await traveller.play(slug);
  }
  const payout = await getPaid(client, step);

  const token = payout.token;
  const [units, scorebank, history] = await step(
    "history",
    "reading what is on record",
    () =>
      Promise.all([
        place.publicClient.readContract({
          address: token.address,
          abi: erc20Abi,
          functionName: "balanceOf",
          args: [address],
        }),
        client.rewards.scorebank({}),
        client.rewards.payoutHistory({ includeAllGames: true }),
      ]),
    ([, bank, { total }]) => ({ words: `${total} payout${total === 1 ? "" : "s"} on record, scorebank ${bank.score}` }),
  );
  const { games, snapshots, nfts } = traveller;
  return {
    ...{ name, address, agentId, games, snapshots, nfts, payout },
    balance: formatUnits(units, token.decimals),
    symbol: token.symbol,
    scorebank: scorebank.score,
    payouts: history.items,
  };
}
