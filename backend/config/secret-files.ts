import { statSync } from "node:fs";
import type { Game } from "../../games/game.ts";
import { games as builtIn } from "../../games/index.ts";
import { listVariables, unquote } from "./config.ts";
import { type Environment, getEnvironment } from "./environment.ts";
import { listSecretPaths } from "./private-keys.ts";
import { SECRETS, SETTINGS } from "./table.ts";

/** The permissions of users who are neither the owner nor in the file's group. */
const OTHERS = 0o007;

export interface OpenSecretFile {
  readonly variable: string;
  readonly path: string;
  /** The permissions, octal. */
  readonly mode: string;
}

/**
 * Files with secrets that every user of this machine may read or change. Group access is accepted, since containers
 * mount secrets that way. Windows has no such permissions.
 */
export function listOpenSecretFiles(
  environment: Environment = getEnvironment(),
  games: readonly Pick<Game, "slug" | "tickHz">[] = builtIn,
): readonly OpenSecretFile[] {
  if (process.platform === "win32") return [];
  return listVariables({ ...SETTINGS, ...SECRETS }, games)
    .filter(([, { isSecret }]) => isSecret)
    .flatMap(([variable]) => listSecretPaths(unquote(environment[variable])).map((path) => ({ variable, path })))
    .flatMap(({ variable, path }) => {
      const mode = statSync(path).mode & 0o777;
      return (mode & OTHERS) === 0 ? [] : [{ variable, path, mode: mode.toString(8) }];
    });
}
