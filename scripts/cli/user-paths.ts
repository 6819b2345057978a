/** Paths that a user gives on the command line: relative to the folder in which the user called `npm run`. */
import { accessSync, constants } from "node:fs";
import { dirname, resolve } from "node:path";
import { makeFolder } from "../../backend/adapters/node/data-folder.ts";
import { getUserDirectory } from "../../backend/config/environment.ts";
import { UsageError } from "./failures.ts";

export const resolveUserPath = (path: string): string => resolve(getUserDirectory(), path);

/** The path of a folder to write into; creates it. Throws `UsageError` if it cannot be written to. */
export function openOutputFolder(flag: string, path: string): string {
  const folder = resolveUserPath(path);
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--${flag}: expected a folder that can be written to, received ${folder} (${code})`);
  }
  return folder;
}

/** The path of a file to write; creates its folder. Throws `UsageError` if that folder cannot be written to. */
export function openOutputFile(flag: string, path: string): string {
  openOutputFolder(flag, dirname(resolveUserPath(path)));
  return resolveUserPath(path);
}
