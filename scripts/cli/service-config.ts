/** The service's settings as commands read them. */
import { COMMAND_KEYS, type Config, readConfig, readConfigAndSecrets } from "../../backend/config/config.ts";
import type { Environment } from "../../backend/config/environment.ts";
import { omitOtherGames } from "../../backend/config/other-games.ts";

const getServiceEnvironment = (): Environment =>
  Object.fromEntries(Object.entries(omitOtherGames()).filter(([name]) => !COMMAND_KEYS.has(name)));

/** The settings; keys of commands may be set beside them. Throws `ConfigError`. */
export const readServiceConfig = (): Config => readConfig(getServiceEnvironment());

/** The settings and the service's own keys; keys of commands may be set beside them. Throws `ConfigError`. */
export const readServiceConfigAndSecrets = (): ReturnType<typeof readConfigAndSecrets> =>
  readConfigAndSecrets(getServiceEnvironment());
