/** The service's settings as commands read them. */
import { type Config, readConfig, readConfigAndSecrets } from "../../backend/config/config.ts";
import { type Environment, getEnvironment } from "../../backend/config/environment.ts";

/** Keys that only commands use. The service must not have them, so that they are no settings. */
const COMMAND_KEYS: ReadonlySet<string> = new Set([
  "ARCADE_ADMIN_KEY",
  "ARCADE_DEPLOYER_KEY",
  "ARCADE_GUARDIAN_KEY",
  "ARCADE_TREASURY_KEY",
]);

const getServiceEnvironment = (): Environment =>
  Object.fromEntries(Object.entries(getEnvironment()).filter(([name]) => !COMMAND_KEYS.has(name)));

/** The settings, where keys of commands may stand beside them. Throws `ConfigError`. */
export const readServiceConfig = (): Config => readConfig(getServiceEnvironment());

/** The settings and the service's own keys, where keys of commands may stand beside them. Throws `ConfigError`. */
export const readServiceConfigAndSecrets = (): ReturnType<typeof readConfigAndSecrets> =>
  readConfigAndSecrets(getServiceEnvironment());
