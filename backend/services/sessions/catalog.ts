import { ArcadeError } from "../../../domain/errors.ts";
import { normalizeSlug } from "../../../domain/ids.ts";
import { SESSION_TIMES } from "../../../domain/session.ts";
import type { Game } from "../../../games/game.ts";
import type { ChainReader } from "../../ports/chain.ts";

interface CatalogPorts {
  readonly games: readonly Game[];
  readonly chain: Pick<ChainReader, "deployment">;
  readonly tickHz: { readonly [slug: string]: number };
  readonly spectatorsMax: number;
  readonly disconnectPauseSeconds: number;
  readonly wsUrl: () => string;
}

/** The games as clients see them, derived from the games' own folders. */
export class Catalog {
  readonly games: readonly Game[];
  readonly #ports: CatalogPorts;
  readonly #gamesBySlug: ReadonlyMap<string, Game>;

  constructor(ports: CatalogPorts) {
    this.#ports = ports;
    this.games = ports.games;
    this.#gamesBySlug = new Map(ports.games.map((game) => [game.slug, game]));
  }

  /** Throws `GAME_NOT_FOUND`. */
  find(slug: string): Game {
    const game = this.#gamesBySlug.get(normalizeSlug(slug));
    if (game !== undefined) return game;
    const games = [...this.#gamesBySlug.keys()];
    const message = `Expected one of ${games.join(", ")}, received "${slug.slice(0, 40)}".`;
    throw new ArcadeError("GAME_NOT_FOUND", message, { games });
  }

  /** The canonical slug; throws `GAME_NOT_FOUND`. */
  resolveSlug(slug: string): string {
    return this.find(slug).slug;
  }

  /** Every game as a response shows it, in the order of display. */
  list() {
    return this.games.map((game) => this.#toView(game));
  }

  /** A game as a response shows it; throws `GAME_NOT_FOUND`. */
  get(slug: string) {
    return this.#toView(this.find(slug));
  }

  /** The address of a channel, ready to open. */
  getChannelUrl(slug: string, channel: "play" | "spectate", sessionId: string): string {
    return `${this.#ports.wsUrl()}/ws/${slug}/${channel}?sessionId=${sessionId}`;
  }

  #toView(game: Game) {
    const { chain, tickHz, spectatorsMax, disconnectPauseSeconds, wsUrl } = this.#ports;
    const { slug } = game;
    return {
      slug,
      title: game.title,
      description: game.description,
      live: true,
      tickHz: tickHz[slug] ?? game.tickHz,
      actions: game.inputs.map((input) => input.message),
      frameSchema: {
        world: game.world,
        pawn: "x, y, w, h in world units; origin top left, x right, y down; x and y are the center",
        entities: game.kinds,
        fields: game.extraFields,
      },
      livesMax: game.livesMax,
      hungerMax: game.hungerMax,
      nft: {
        address: chain.deployment.nft[slug] ?? null,
        name: game.nft.name,
        symbol: game.nft.symbol,
        tiers: game.nft.tiers,
      },
      ws: { play: `${wsUrl()}/ws/${slug}/play`, spectate: `${wsUrl()}/ws/${slug}/spectate` },
      limits: {
        spectatorsMax,
        heartbeatSeconds: SESSION_TIMES.heartbeatSeconds,
        maxDurationSeconds: SESSION_TIMES.maxDurationSeconds,
        pauseCount: SESSION_TIMES.pauseCount,
        pauseSeconds: SESSION_TIMES.pauseSeconds,
        disconnectGraceSeconds: SESSION_TIMES.disconnectGraceSeconds,
        disconnectPauseSeconds,
      },
      rulesVersion: game.rulesVersion,
    };
  }
}
