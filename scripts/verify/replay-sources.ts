/** Sources of replays: a folder of files, or a URL. */
import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Hex } from "viem";
import { computeGameSessionHash, computeReplayDigest, type Replay } from "../../domain/replay/replay.ts";
import { listShapeProblems } from "../../domain/replay/shape.ts";
import type { ReplayDifference } from "../../domain/replay/verify.ts";
import { CommandError } from "../cli/failures.ts";

/** A replay as found; `replay` is null if it is invalid, and `problems` has the reasons. */
export interface FoundReplay {
  readonly origin: string;
  readonly replay: Replay | null;
  readonly problems: readonly ReplayDifference[];
}

export interface ReplaySource {
  readonly name: string;
  /** The replay of a hash; null if the source has none. */
  find(gameSessionHash: Hex): Promise<FoundReplay | null>;
  /** Replays of none of the given hashes, as far as the source can list them. */
  listOthers(hashes: ReadonlySet<Hex>): Promise<readonly FoundReplay[]>;
}

/** In a folder of replays: the name of each file by its gameSessionHash. Only a hint: the content decides. */
export const INDEX_FILE = "index.json";
const FETCH_TIMEOUT_MS = 30_000;
/** The maximum size of a replay, an index or a league round, also unpacked. The longest session needs a tenth of it. */
const REPLAY_BYTES_MAX = 64 * 1024 * 1024;

const createDamaged = (origin: string, expected: string, received: string): FoundReplay => ({
  origin,
  replay: null,
  problems: [{ field: "file", expected, received }],
});

const createTooLargeError = (origin: string): CommandError =>
  new CommandError(`${origin} is too large: expected at most ${REPLAY_BYTES_MAX} bytes.`);

/** Parses the bytes of a replay, plain or gzip. */
export function parseReplay(bytes: Uint8Array, origin: string): FoundReplay {
  let value: unknown;
  try {
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const plain = isGzip ? gunzipSync(bytes, { maxOutputLength: REPLAY_BYTES_MAX }) : bytes;
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(plain));
  } catch (error) {
    return createDamaged(origin, "JSON", (error as Error).message);
  }
  const problems = listShapeProblems(value);
  return { origin, replay: problems.length === 0 ? (value as Replay) : null, problems };
}

/** The hash of the replay's own facts; null if it has none. */
function getHash({ replay }: FoundReplay): Hex | null {
  if (replay === null) return null;
  try {
    const replayDigest = computeReplayDigest(replay);
    return computeGameSessionHash({ ...replay, replayDigest, sequence: BigInt(replay.sequence) });
  } catch {
    return null;
  }
}

/** Reads `index.json`; an empty index if it is missing or damaged. */
function parseIndex(text: string | null): { readonly [hash: string]: string } {
  try {
    const index = JSON.parse(text ?? "{}") as unknown;
    return typeof index === "object" && index !== null ? (index as { readonly [hash: string]: string }) : {};
  } catch {
    return {};
  }
}

/** Replays in files, by name; `read` returns the bytes of one. */
interface Files {
  keys(): Iterable<string>;
  get(name: string): Promise<Uint8Array> | Uint8Array | undefined;
}

/** The replays of a set of files; `name` is a prefix for file names. */
export async function createFileSource(name: string, files: Files): Promise<ReplaySource> {
  const names = [...files.keys()].filter((file) => /\.json(\.gz)?$/.test(file) && file !== INDEX_FILE).sort();
  const load = async (file: string): Promise<FoundReplay> => {
    const origin = join(name, file);
    try {
      return parseReplay((await files.get(file))!, origin);
    } catch (error) {
      return createDamaged(origin, "a file that can be read", (error as Error).message);
    }
  };
  const fileByHash = new Map<Hex, string>();
  const others: string[] = [];
  for (const file of names) {
    const hash = getHash(await load(file));
    if (hash === null) others.push(file);
    else fileByHash.set(hash, file);
  }
  const indexBytes = await Promise.resolve(files.get(INDEX_FILE)).catch(() => undefined);
  const index = parseIndex(indexBytes === undefined ? null : new TextDecoder().decode(indexBytes));
  return {
    name,
    async find(hash) {
      const found = fileByHash.get(hash) ?? names.find((file) => basename(file, ".json") === index[hash]);
      return found === undefined ? null : load(found);
    },
    async listOthers(hashes) {
      const unused = [...fileByHash].filter(([hash]) => !hashes.has(hash)).map(([, file]) => file);
      return Promise.all([...others, ...unused].map(load));
    },
  };
}

/** The bytes of a replay's file. Throws `CommandError` if it is not a file, or too large. */
export async function readReplayFile(path: string): Promise<Uint8Array> {
  const facts = await stat(path);
  if (!facts.isFile()) throw new CommandError(`${path} is not a file.`);
  if (facts.size > REPLAY_BYTES_MAX) throw createTooLargeError(path);
  return readFile(path);
}

/** The bytes at a URL; null for a 404. Throws `CommandError`. */
export async function readAddress(address: string): Promise<Uint8Array | null> {
  const response = await fetch(address, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) }).catch((cause: Error) => {
    const { code = cause.name } = (cause.cause ?? cause) as { readonly code?: string };
    throw new CommandError(`${address} does not answer (${code}).`, { cause });
  });
  if (response.status === 404) return null;
  if (!response.ok) throw new CommandError(`${address} answers ${response.status}.`);
  return readBody(response);
}

/** The body of a response, read only up to the maximum size. Throws `CommandError`. */
async function readBody({ body, url }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > REPLAY_BYTES_MAX) throw createTooLargeError(url);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Throws `CommandError` if the folder does not exist. */
export async function openFolder(folder: string): Promise<ReplaySource> {
  if (!existsSync(folder)) throw new CommandError(`There is no folder ${folder}.`, { next: "set one with --replays" });
  const names = await readdir(folder);
  return createFileSource(folder, {
    keys: () => names,
    get: (name) => (names.includes(name) ? readReplayFile(join(folder, name)) : undefined),
  });
}

/**
 * A URL that serves `{gameSessionHash}` below it, like `/api/replays` of a service, or a copy of a folder of replays
 * with its `index.json`. Throws `CommandError` if it fails.
 */
export async function openAddress(address: string): Promise<ReplaySource> {
  const read = (path: string): Promise<Uint8Array | null> => readAddress(`${address}/${path}`);
  const indexBytes = await read(INDEX_FILE);
  const index = indexBytes === null ? null : parseIndex(new TextDecoder().decode(indexBytes));
  const hint =
    index !== null || address.endsWith("/api/replays") ? "" : " (a service has its replays below /api/replays)";
  return {
    name: `${address}${hint}`,
    async find(hash) {
      if (index !== null && index[hash] === undefined) return null;
      const path = index === null ? hash : `${index[hash]}.json`;
      const bytes = await read(path);
      return bytes === null ? null : parseReplay(bytes, `${address}/${path}`);
    },
    listOthers: async () => [],
  };
}
