import { homedir } from "node:os";

/** Unchecked environment variables. */
export type Environment = { readonly [name: string]: string | undefined };

/** The environment of this process. No other file reads `process.env`. */
export const getEnvironment = (): Environment => process.env;

/** Removes a variable, so that libraries and child processes do not see it. */
export function removeVariable(name: string): void {
  delete process.env[name];
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
