/** What is read of the games. A new game is one folder and one line in `list.ts`; old rules are one line in `versions`. */
import type { Game } from "./game.ts";
import * as list from "./list.ts";

/** The games that can be played, in the order they are shown. */
export const games: readonly Game[] = (Object.values(list) as Game[]).sort(
  (one, other) => one.order - other.order || (one.slug < other.slug ? -1 : 1),
);

/** Every published rules version, so that each replay stays verifiable: the current ones, then a line for each old one. */
export const versions: readonly Game[] = [...games];

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

/** A look-up of rules among these versions. */
export const createRulesLookup =
  (known: readonly Game[]): GameList["getRules"] =>
  (slug, rulesVersion) =>
    known.find((game) => game.slug === slug && game.rulesVersion === rulesVersion);

/** The rules a replay was played under, or undefined when this build does not know them. */
export const getRules = createRulesLookup(versions);

/** The games that the service serves by default. */
export const gameList: GameList = { games, getRules, moduleUrl: import.meta.url };
