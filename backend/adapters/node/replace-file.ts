import { copyFile, mkdir, open, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFile } from "./sync.ts";

/** Writes a temporary file beside `path`, waits until it is on disk, and renames it. */
async function replaceBy(
  path: string,
  write: (temporaryPath: string) => Promise<void>,
  mode: number | null,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporaryPath = `${path}.new`;
  await write(temporaryPath).catch((error: unknown) => {
    // Node's error about a full disk has no path.
    throw Object.assign(error as Error, { path });
  });
  const file = await open(temporaryPath, "r+");
  try {
    if (mode !== null) await file.chmod(mode);
    await syncFile(file);
  } finally {
    await file.close();
  }
  await rename(temporaryPath, path);
}

/** Only the owner can read it, like everything in the data folder. */
const PRIVATE = 0o600;

/** Writes a file so that a reader, even after a crash, finds either the old content or the whole new content. */
export const replaceFile = (path: string, content: string | Uint8Array): Promise<void> =>
  replaceBy(path, (temporaryPath) => writeFile(temporaryPath, content, { mode: PRIVATE }), PRIVATE);

/** Like `replaceFile`, but with the user's default mode: for files that services of other users read. */
export const replacePublicFile = (path: string, content: string | Uint8Array): Promise<void> =>
  replaceBy(path, (temporaryPath) => writeFile(temporaryPath, content), null);

/** Copies a file so that a reader, even after a crash, finds either the old target or the whole copy. */
export const replaceFileByCopy = (from: string, to: string): Promise<void> =>
  replaceBy(to, (temporaryPath) => copyFile(from, temporaryPath), PRIVATE);
