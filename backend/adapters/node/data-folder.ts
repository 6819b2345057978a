import { accessSync, constants, mkdirSync } from "node:fs";

/**
 * Creates a folder for the service's data, accessible to its user only. If it is not writable, throws an error with
 * advice.
 */
export function makeDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(
      `Expected a folder that this user can write, received ${path} (${code}). Change its owner, or set another ARCADE_DATA_DIR.`,
      { cause },
    );
  }
}
