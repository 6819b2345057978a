import type { Address } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { encodeFeedback } from "../../../domain/feedback.ts";
import { getTier } from "../../../domain/gates.ts";
import { toFinality } from "../../../domain/session.ts";
import type { Game, Tier } from "../../../games/game.ts";
import type { ChainIndex } from "../../ports/chain.ts";
import type { TransactionStore } from "../../ports/store/chain.ts";
import type { SessionRow, SessionStore } from "../../ports/store/sessions.ts";
import type { Clock, Log } from "../../ports/system.ts";
import type { ChainWriter } from "../../ports/transactions.ts";
import type { FeedbackSubjects } from "./feedback-subjects.ts";

interface FeedbackPublisherPorts {
  readonly games: readonly Pick<Game, "slug" | "nft">[];
  readonly sessions: Pick<SessionStore, "listRuns" | "findBestOnChain">;
  readonly index: Pick<ChainIndex, "getFinality">;
  readonly writer: Pick<ChainWriter, "submit">;
  readonly transactions: Pick<TransactionStore, "findByKeys">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
  /** The Reputation registry. */
  readonly registry: Address;
  readonly subjects: Pick<FeedbackSubjects, "find" | "isHeld">;
  /** The address at which others read the replays. */
  readonly getPublicUrl: () => string;
}

/** The kind of the operator's transactions that publish scores. */
const KIND = "feedback";

/** The latest runs that are looked at after each block. */
const RUNS = 100;
const RETRY_MS = 3_600_000;

type OnChainRow = SessionRow & {
  readonly wallet: NonNullable<SessionRow["wallet"]>;
  readonly agentId: NonNullable<SessionRow["agentId"]>;
};

/**
 * Publishes an agent's best verified score of a game as feedback, once for each tier it rises to, when no reorganization
 * can take the score back. The transaction manager keeps what was published: its key names agent, game and tier.
 */
export class FeedbackPublisher {
  readonly #ports: FeedbackPublisherPorts;
  /** The highest tier that was submitted, by agent and game, as far as it was asked for. */
  readonly #tiers = new Map<string, number>();
  /** When feedback that was rejected may be tried again, by agent and game. */
  readonly #retryAtMs = new Map<string, number>();
  #running: Promise<void> | null = null;

  constructor(ports: FeedbackPublisherPorts) {
    this.#ports = ports;
  }

  /** Publishes what has become due. Never rejects; calls do not overlap. */
  publish(): Promise<void> {
    this.#running ??= this.#publishAll()
      .catch((error: unknown) => this.#ports.log.warn({ err: error }, "scores could not be published as feedback yet"))
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  async #publishAll(): Promise<void> {
    const { games, sessions, clock } = this.#ports;
    for (const game of games) {
      const query = { slug: game.slug, sort: "recent", period: "all", agentId: null } as const;
      const { items } = await sessions.listRuns({ ...query, page: 1, limit: RUNS, nowMs: clock.nowMs() });
      const players = new Map(items.filter(hasAgent).map((row) => [`${row.agentId} ${row.wallet}`, row]));
      for (const row of players.values()) await this.#publishBest(game, row);
    }
  }

  async #publishBest({ slug, nft }: Pick<Game, "slug" | "nft">, { wallet, agentId }: OnChainRow): Promise<void> {
    const { sessions, index, writer, registry, subjects, clock, log, getPublicUrl } = this.#ports;
    const best = await sessions.findBestOnChain(wallet, slug, agentId);
    if (best?.snapshotBlock == null || best.verification !== "verified") return;
    if (best.gameSessionHash === null || best.replayDigest === null) return;
    if (toFinality(best.snapshotBlock, index.getFinality()) === "included") return;
    const tier = getTier(nft.tiers, best.score);
    const subject = await subjects.find({ agentId, wallet });
    if (subject === null) return;
    const player = `${subject}:${slug}`;
    if ((this.#retryAtMs.get(player) ?? 0) > clock.nowMs()) return;
    const published = this.#tiers.get(player) ?? (await this.#findPublishedTier(player, nft.tiers));
    this.#tiers.set(player, published);
    if (tier <= published || !(await subjects.isHeld(subject, wallet))) return;
    const { score, gameSessionHash, replayDigest } = best;
    const feedback = { agentId: subject, slug, score, gameSessionHash, replayDigest };
    const call = {
      kind: KIND,
      key: this.#toKey(player, tier),
      to: registry,
      data: encodeFeedback(feedback, getPublicUrl()),
    };
    try {
      await writer.submit(call);
    } catch (error) {
      // The registry rejects feedback for an agent that lets the operator act for it. Other agents still get theirs.
      if (!(error instanceof ArcadeError) || error.code !== "TX_FAILED") throw error;
      this.#retryAtMs.set(player, clock.nowMs() + RETRY_MS);
      log.warn({ err: error, agentId: subject, slug, tier }, "feedback was rejected; trying again in an hour");
      return;
    }
    this.#tiers.set(player, tier);
  }

  /** The highest tier of an agent's game that was submitted before; 0 where none was. */
  async #findPublishedTier(player: string, tiers: readonly Tier[]): Promise<number> {
    const calls = tiers.map(({ tier }) => ({ kind: KIND, key: this.#toKey(player, tier), tier }));
    const keys = new Set((await this.#ports.transactions.findByKeys(calls)).map(({ key }) => key));
    return Math.max(0, ...calls.filter(({ key }) => keys.has(key)).map(({ tier }) => tier));
  }

  #toKey(player: string, tier: number): string {
    return `${this.#ports.registry}:${player}:${tier}`;
  }
}

const hasAgent = (row: SessionRow): row is OnChainRow => row.wallet !== null && row.agentId !== null;
