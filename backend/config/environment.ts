import * as http from "node:http";
import { homedir } from "node:os";

/** Unchecked environment variables. */
export type Environment = { readonly [name: string]: string | undefined };

/** The environment of this process. No other file reads `process.env`. */
export const getEnvironment = (): Environment => process.env;

/** Removes a variable, so that libraries and child processes do not see it. */
export function removeVariable(name: string): void {
  delete process.env[name];
}

/**
 * Exempts this machine from the proxy that the user chose for Node's requests (`NODE_USE_ENV_PROXY`): a proxy elsewhere
 * cannot reach the chain and the service here.
 */
export function bypassProxyLocally(): void {
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = "", no_proxy: lower, NO_PROXY: upper } = process.env;
  if (NODE_USE_ENV_PROXY !== "1" && !NODE_OPTIONS.includes("--use-env-proxy")) return;
  const hosts = [lower ?? upper ?? "", "localhost,127.0.0.1,::1,[::1]"].filter((text) => text !== "").join(",");
  Object.assign(process.env, { no_proxy: hosts, NO_PROXY: hosts });
  http.setGlobalProxyFromEnv?.();
}

/** Sets a home folder if the user has none, as in containers: a library that looks there would fail. */
export function provideHome(): void {
  try {
    homedir();
  } catch {
    process.env.HOME = "/";
  }
}

/** The folder in which the user typed the command: npm itself runs in the repository's folder. */
export const getUserDirectory = (environment: Environment = getEnvironment()): string =>
  environment.INIT_CWD ?? process.cwd();
