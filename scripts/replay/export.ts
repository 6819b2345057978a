/** Copies all replays of a service to a folder, each named by the digest of its bytes. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Hex } from "viem";
import { z } from "zod";
import type { ArcadeClient } from "../../client/client.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { computeReplayDigest } from "../../domain/replay/replay.ts";
import { CommandError } from "../cli/failures.ts";
import { INDEX_FILE } from "../verify/replay-sources.ts";

const PAGE_SIZE = 100;
/** The last page of a list that the service serves. */
const PAGES_MAX = 1000;

/** Writes a file atomically. */
async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text);
  await rename(`${path}.part`, path);
}

const indexSchema = z.record(z.string().regex(/^0x[0-9a-f]{64}$/), z.string());

/** The index of an earlier export. Throws `CommandError` for any other file, which must not be replaced. */
async function readIndex(path: string): Promise<Record<string, string>> {
  if (!existsSync(path)) return {};
  try {
    return indexSchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (cause) {
    throw new CommandError(`${path} is not the index of an export.`, {
      next: "choose another folder with --to",
      cause,
    });
  }
}

async function* listRuns(client: ArcadeClient, slug: string) {
  // Runs that end during the export move others to later pages: some are read twice, none is missed.
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const { items, total } = await client.games.runs({ slug, page, limit: PAGE_SIZE });
    yield* items;
    if (page * PAGE_SIZE >= total) return;
  }
  throw new CommandError(`${slug} has more runs than the ${PAGES_MAX * PAGE_SIZE} that the service lists.`);
}

/**
 * Writes `{sha256}.json` for each verified run, in canonical JSON, and `index.json`: the names by `gameSessionHash`.
 * Keeps existing files, also those of a failed export. Throws `CommandError` and `ArcadeApiError`.
 */
export async function exportReplays(client: ArcadeClient, folder: string) {
  await mkdir(folder, { recursive: true });
  const indexPath = join(folder, INDEX_FILE);
  const index = await readIndex(indexPath);
  const counts = { written: 0, kept: 0 };
  try {
    for (const { slug } of (await client.games.catalog()).items) {
      for await (const run of listRuns(client, slug)) {
        const known = index[run.gameSessionHash];
        if (known !== undefined && existsSync(join(folder, `${known}.json`))) {
          counts.kept += 1;
          continue;
        }
        index[run.gameSessionHash] = await exportReplay(client, folder, run);
        counts.written += 1;
      }
    }
  } finally {
    await writeWhole(indexPath, canonicalJson(index));
  }
  return counts;
}

/** Returns the name of the file, without its extension. */
async function exportReplay(
  client: ArcadeClient,
  folder: string,
  { gameSessionHash, replayDigest }: { readonly gameSessionHash: Hex; readonly replayDigest: Hex },
): Promise<string> {
  const replay = await client.replays.get({ gameSessionHash });
  const digest = computeReplayDigest(replay);
  if (digest !== replayDigest)
    throw new CommandError(`The service's replay of ${gameSessionHash} has the digest ${digest}, not ${replayDigest}.`);
  const text = canonicalJson(replay);
  const name = createHash("sha256").update(text).digest("hex");
  await writeWhole(join(folder, `${name}.json`), text);
  return name;
}
