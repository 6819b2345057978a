/** Settings of games that this version does not have. They stay in the environment when a version is rolled back. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { games } from "../../games/index.ts";
import { listVariables } from "./config.ts";
import { type Environment, getEnvironment } from "./environment.ts";
import { SECRETS, SETTINGS } from "./table.ts";

/** The games of the addresses file; none if the file cannot be read, which another check reports. */
function readDeployedSlugs({ ARCADE_DATA_DIR, ARCADE_DEPLOYMENT }: Environment): readonly string[] {
  const folder = ARCADE_DATA_DIR || SETTINGS.dataDir.defaultText!;
  try {
    const text = readFileSync(resolve(ARCADE_DEPLOYMENT || resolve(folder, "deployment.json")), "utf8");
    return Object.keys((JSON.parse(text) as { readonly nft?: object }).nft ?? {});
  } catch {
    return [];
  }
}

/** The environment without the settings of games that only the addresses file has. */
export function omitOtherGames(environment: Environment = getEnvironment()): Environment {
  const others = readDeployedSlugs(environment).filter((slug) => !games.some((game) => game.slug === slug));
  if (others.length === 0) return environment;
  const perGame = Object.entries({ ...SETTINGS, ...SECRETS }).filter(([, { name }]) => name.includes("{SLUG}"));
  const otherGames = others.map((slug) => ({ slug, tickHz: 0 }));
  const omitted = new Set(listVariables(Object.fromEntries(perGame), otherGames).map(([name]) => name));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !omitted.has(name)));
}
