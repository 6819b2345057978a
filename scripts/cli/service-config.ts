/** Reads the service's settings for commands. */
import { COMMAND_KEYS, type Config, readConfig, readConfigAndSecrets } from "../../backend/config/config.ts";
import type { Environment } from "../../backend/config/environment.ts";
import { omitOtherGames } from "../../backend/config/other-games.ts";

const getServiceEnvironment = (): Environment =>
  Object.fromEntries(Object.entries(omitOtherGames()).filter(([name]) => !COMMAND_KEYS.has(name)));

/** The settings; the environment may also have keys of commands. Throws `ConfigError`. */
export const readServiceConfig = (): Config => readConfig(getServiceEnvironment());

/** The settings and the service's keys; the environment may also have keys of commands. Throws `ConfigError`. */
export const readServiceConfigAndSecrets = (): ReturnType<typeof readConfigAndSecrets> =>
  readConfigAndSecrets(getServiceEnvironment());
