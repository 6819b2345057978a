import type { Game } from "../../games/game.ts";
import { games as builtIn } from "../../games/index.ts";
import { ConfigError, listVariables, toIssue, unquote } from "./config.ts";
import { type Environment, getEnvironment } from "./environment.ts";
import { isKeystoreSetting, readKeystoreAside } from "./private-keys.ts";
import { SECRETS } from "./table.ts";

/**
 * The environment with encrypted key files replaced by their keys, so that a running server reads them without
 * blocking. Throws one `ConfigError` with every file that cannot be opened.
 */
export async function decryptKeyFiles(
  environment: Environment = getEnvironment(),
  games: readonly Pick<Game, "slug" | "tickHz">[] = builtIn,
): Promise<Environment> {
  const decrypted: { [name: string]: string } = {};
  const issues: string[] = [];
  // One after the other, since each may take much memory.
  for (const [name, setting] of listVariables(SECRETS, games)) {
    const value = unquote(environment[name]);
    if (!isKeystoreSetting(value)) continue;
    try {
      decrypted[name] = await readKeystoreAside("key", value);
    } catch (error) {
      issues.push(toIssue(name, setting, (error as Error).message.replace(/^key: /, ""), value));
    }
  }
  if (issues.length > 0) throw new ConfigError(issues);
  return { ...environment, ...decrypted };
}
