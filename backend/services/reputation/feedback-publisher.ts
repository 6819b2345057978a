import type { Address } from "viem";
import { encodeFeedback } from "../../domain/feedback.ts";
import { getTier } from "../../domain/gates.ts";
import { toFinality } from "../../domain/session.ts";
import type { Game } from "../../games/game.ts";
import type { ChainIndex } from "../../ports/chain.ts";
import type { SessionRow, SessionStore } from "../../ports/store/sessions.ts";
import type { Clock, Log } from "../../ports/system.ts";
import type { ChainWriter } from "../../ports/transactions.ts";

interface FeedbackPublisherPorts {
  readonly games: readonly Pick<Game, "slug" | "nft">[];
  readonly sessions: Pick<SessionStore, "listRuns" | "findBestOnChain">;
  readonly index: Pick<ChainIndex, "getFinality">;
  readonly writer: Pick<ChainWriter, "submit">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
  /** The Reputation registry. */
  readonly registry: Address;
  /** By which others reach the replays. */
  readonly getPublicUrl: () => string;
}

/** The latest runs that are looked at after each block. */
const RUNS = 100;

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
  /** The highest tier that this process has submitted, by agent and game. */
  readonly #tiers = new Map<string, number>();
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
    const { sessions, index, writer, registry, getPublicUrl } = this.#ports;
    const best = await sessions.findBestOnChain(wallet, slug, agentId);
    if (best?.snapshotBlock == null || best.verification !== "verified") return;
    if (best.gameSessionHash === null || best.replayDigest === null) return;
    if (toFinality(best.snapshotBlock, index.getFinality()) === "included") return;
    const tier = getTier(nft.tiers, best.score);
    const player = `${agentId}:${slug}`;
    if (tier <= (this.#tiers.get(player) ?? 0)) return;
    const { score, gameSessionHash, replayDigest } = best;
    const feedback = { agentId, slug, score, gameSessionHash, replayDigest };
    const data = encodeFeedback(feedback, getPublicUrl());
    await writer.submit({ kind: "feedback", key: `${registry}:${player}:${tier}`, to: registry, data });
    this.#tiers.set(player, tier);
  }
}

const hasAgent = (row: SessionRow): row is OnChainRow => row.wallet !== null && row.agentId !== null;
