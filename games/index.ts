/** What is read of the games. A new game is one folder and one line in `list.ts`; an old rules version is one line in `versions`. */
import { flappybotsV1 } from "./flappybots/v1/game.ts";
import type { Game } from "./game.ts";
import * as list from "./list.ts";
import { shellrunnersV1 } from "./shellrunners/v1/game.ts";

/** The games that can be played, in the order they are shown. */
export const games: readonly Game[] = (Object.values(list) as Game[]).sort(
  (one, other) => one.order - other.order || (one.slug < other.slug ? -1 : 1),
);

/** Every rules version that was ever played, the current ones included, so that old replays stay verifiable. */
export const versions: readonly Game[] = [...games, shellrunnersV1, flappybotsV1] as readonly Game[];

/** A list of games as the service takes it. */
export interface GameList {
  readonly games: readonly Game[];
  /** The rules of a replay, or undefined when this build does not know them. */
  readonly getRules: (slug: string, rulesVersion: number) => Game | undefined;
  /** The module that exports `getRules`. Worker threads import it. */
  readonly moduleUrl: string;
}

/** The current rules of a canonical slug, or undefined. Historical spellings are normalized before this. */
export function findGame(slug: string): Game | undefined {
  return games.find((game) => game.slug === slug);
}

/** The rules a replay was played under, or undefined when this build does not know them. */
export function getRules(slug: string, rulesVersion: number): Game | undefined {
  return versions.find((game) => game.slug === slug && game.rulesVersion === rulesVersion);
}

/** The games that the service serves by default. */
export const gameList: GameList = { games, getRules, moduleUrl: import.meta.url };
