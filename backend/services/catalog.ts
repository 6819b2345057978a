import { ArcadeError } from "../domain/errors.ts";
import { SESSION_TIMES } from "../domain/session.ts";
import { normalizeSlug } from "../domain/slugs.ts";
import type { Game } from "../games/game.ts";
import type { ChainReader } from "../ports.ts";

export interface CatalogPorts {
  readonly games: readonly Game[];
  readonly chain: Pick<ChainReader, "deployment">;
  readonly tickHz: { readonly [slug: string]: number };
  readonly spectatorsMax: number;
  readonly wsUrl: () => string;
}

export type Catalog = ReturnType<typeof makeCatalog>;

/** The games as clients see them; everything follows from the games' own folders. */
export function makeCatalog({ games, chain, tickHz, spectatorsMax, wsUrl }: CatalogPorts) {
  const bySlug = new Map(games.map((game) => [game.slug, game]));

  function find(slug: string): Game {
    const game = bySlug.get(normalizeSlug(slug));
    if (game !== undefined) return game;
    throw new ArcadeError(
      "GAME_NOT_FOUND",
      `Expected one of ${[...bySlug.keys()].join(", ")}, received "${slug.slice(0, 40)}".`,
      { games: [...bySlug.keys()] },
    );
  }

  function view(game: Game) {
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
        pawn: "x, y, w, h in world units; origin top left, x right, y down; x and y are centres",
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
      },
      rulesVersion: game.rulesVersion,
    };
  }

  return {
    find,
    games,
    /** The canonical slug; throws `GAME_NOT_FOUND`. */
    resolveSlug: (slug: string): string => find(slug).slug,
    list: () => games.map(view),
    get: (slug: string) => view(find(slug)),
    /** The address of a channel, ready to open. */
    channelUrl: (slug: string, channel: "play" | "spectate", sessionId: string): string =>
      `${wsUrl()}/ws/${slug}/${channel}?sessionId=${sessionId}`,
  };
}
