import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

const READ_ONLY =
  "its file system takes no new folders, or a link in the path leads nowhere; set another ARCADE_DATA_DIR";
const NO_FOLDER = "it is a file, or below one; set another ARCADE_DATA_DIR";
/** What is wrong with a path, by Node's code; Node reports ENOENT for a new folder on a read-only file system. */
const FAULTS: { readonly [code: string]: string } = {
  ENOENT: READ_ONLY,
  EROFS: READ_ONLY,
  EEXIST: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
};

/** Creates a folder and its parents. Node's `recursive` never returns where mkdir fails with ENOENT, as below /proc. */
export function makeFolder(path: string, mode?: number): void {
  if (!existsSync(dirname(path))) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Of a link that leads nowhere, `statSync` throws ENOENT.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}

/**
 * Creates a folder for the service's data, accessible to its user only. If it is not writable, throws an error with
 * advice.
 */
export function makeDataFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    const advice = FAULTS[code] ?? "change its owner, or set another ARCADE_DATA_DIR";
    throw new Error(`Expected a folder that this user can write, received ${path} (${code}): ${advice}.`, { cause });
  }
}
