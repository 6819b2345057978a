/** Saved files of chain and store. A stack that copies them starts faster. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { openStoreOn, type StoreOptions } from "../backend/adapters/store/open-store.ts";
import { createSqliteDialect, openSqliteFile } from "../backend/adapters/store/sqlite.ts";
import { readConfig, readSecrets } from "../backend/config/config.ts";
import { getServiceKeys } from "../backend/config/service-keys.ts";
import type { Store } from "../backend/ports/store/store.ts";
import type { Credentials } from "../client/api.ts";
import { deployLocal } from "../deploy/execute-local.ts";
import type { GameList } from "../games/index.ts";
import { startDevChain } from "../local-chain/dev-stack.ts";
import type { Stage } from "./options.ts";
import { createTempFolder, endWithProcess } from "./temp-folder.ts";

type Files = ReadonlyMap<string, Buffer>;
type Environment = { readonly [name: string]: string };

export const JOURNAL = "chain/journal.jsonl";
const DEPLOYMENT = "deployment.json";
export const STORE = "arcade.db";
/** Settings that decide which contracts are deployed, and where their addresses are written. */
const CHANGES_DEPLOYMENT = /^ARCADE_(?:DEPLOYMENT_PATH$|OPERATOR_(?!CALLS)|\w+_SIGNER_)/;

const readFiles = async (folder: string, names: readonly string[]): Promise<Files> =>
  new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));

async function withTempFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await createTempFolder();
  try {
    return await run(folder.path);
  } finally {
    await folder.remove();
  }
}

async function createStore(): Promise<Buffer> {
  const database = openSqliteFile("sqlite::memory:");
  const opened = await openStoreOn({ dialect: createSqliteDialect(database) }, {});
  const bytes = database.serialize();
  await opened.close();
  return bytes;
}

let store: Promise<Buffer> | undefined;
/** By the contracts that are deployed. */
const chains = new Map<string, Promise<Files>>();

const writeFiles = (folder: string, files: Files) =>
  Promise.all(
    [...files].map(async ([name, bytes]) => {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, bytes, { mode: 0o600 });
    }),
  );

const getStore = (): Promise<Buffer> => {
  store ??= createStore();
  return store;
};

/** Writes an empty store to `file`, with its tables. */
export async function copyEmptyStore(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, await getStore(), { mode: 0o600 });
}

/** An empty store that ends with the process. */
export async function openMemoryStore(options: Omit<StoreOptions, "databaseUrl"> = {}): Promise<Store> {
  const database = new Database(await getStore());
  database.pragma("foreign_keys = ON");
  return await openStoreOn({ dialect: createSqliteDialect(database) }, options);
}

/** Writes the chain that `deploy` creates to `dataDir`; for one `key`, only the first call deploys. */
export async function copyChain(
  dataDir: string,
  key: string,
  deploy: (folder: string) => Promise<void>,
): Promise<void> {
  const made =
    chains.get(key) ??
    withTempFolder(async (folder) => {
      await deploy(folder);
      return readFiles(folder, [JOURNAL, DEPLOYMENT]);
    });
  chains.set(key, made);
  await writeFiles(dataDir, await made);
}

/** Fills a new data folder. A folder that has a chain or is for other contracts is left alone. */
export async function copyTemplate(dataDir: string, environment: Environment, { games }: GameList): Promise<void> {
  const isOther = Object.keys(environment).some((name) => CHANGES_DEPLOYMENT.test(name));
  if (isOther || existsSync(join(dataDir, JOURNAL))) return;
  await copyChain(dataDir, JSON.stringify(games.map(({ slug, nft }) => [slug, nft])), async (folder) => {
    const settings = { ARCADE_DATA_DIR: folder, ARCADE_RPC_PORT: "0" };
    const { chain } = await startDevChain(readConfig(settings, games));
    const keys = getServiceKeys(readSecrets(settings, games), { games });
    const path = join(folder, DEPLOYMENT);
    await deployLocal({ rpcUrl: chain.rpcUrl, keys, publicUrl: "http://127.0.0.1:0", games, path });
    await chain.close();
  });
  if (environment.ARCADE_DATABASE_URL === undefined) await copyEmptyStore(join(dataDir, STORE));
}

/** Input of the process that builds the images. */
export interface ImageRequest {
  /** Each stage gets a subfolder. */
  readonly folder: string;
  readonly dataDir: string;
  readonly seed: number;
  readonly atMs: number;
  /** The last stage to build. */
  readonly stage: Stage;
}

/** Written beside the built package; it changes with every source. */
const BUILD_HASH = new URL("../build-hash.txt", import.meta.url);
const IMAGE_FILES = [JOURNAL, DEPLOYMENT, STORE, "credentials.json"];
const DAY_MS = 86_400_000;
/** In the past, so that an image is not in the future after its steps have advanced the time. */
const BEFORE_DAY_MS = 600_000;
const images = new Map<string, Promise<Files>>();

/** Runs the process that builds an image and those of the earlier stages. Throws with its output if it fails. */
export async function buildImages(request: Omit<ImageRequest, "dataDir">): Promise<void> {
  await withTempFolder(async (dataDir) => {
    const program = fileURLToPath(new URL("./build-images.ts", import.meta.url));
    const child = spawn(process.execPath, [program, JSON.stringify({ ...request, dataDir })], {
      // The child exits when this process ends and closes its standard input.
      stdio: ["pipe", "ignore", "pipe"],
    });
    const release = endWithProcess(() => child.kill("SIGKILL"));
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    release();
    if (code !== 0) throw new Error(`The stage ${request.stage} could not be made:\n${errors}`);
  });
}

/** The folder that keeps images of a built package between processes; null in the repository. */
function findKeptFolder(seed: number, atMs: number): string | null {
  if (!existsSync(BUILD_HASH)) return null;
  const key = createHash("sha256").update(readFileSync(BUILD_HASH)).update(`${seed} ${atMs}`).digest("hex");
  // Unlike `userInfo`, it also works for a user whom the container does not know (`docker run --user`).
  return join(tmpdir(), `arcade-images-${process.getuid?.() ?? "user"}-${key.slice(0, 16)}`);
}

async function makeImage(stage: Stage, seed: number): Promise<Files> {
  const atMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - BEFORE_DAY_MS;
  const kept = findKeptFolder(seed, atMs);
  if (kept !== null && existsSync(join(kept, stage))) return readFiles(join(kept, stage), IMAGE_FILES);
  return withTempFolder(async (folder) => {
    await buildImages({ folder, seed, atMs, stage });
    const files = await readFiles(join(folder, stage), IMAGE_FILES);
    if (kept !== null) {
      await mkdir(kept, { recursive: true, mode: 0o700 });
      // Fails if another process was faster.
      await rename(join(folder, stage), join(kept, stage)).catch(() => undefined);
    }
    return files;
  });
}

/** Fills a new data folder with a stage. Returns the sign-in of its player; null for stages before it. */
export async function copyStage(dataDir: string, stage: Stage, seed: number): Promise<Credentials | null> {
  const key = `${stage} ${seed}`;
  const image = images.get(key) ?? makeImage(stage, seed);
  images.set(key, image);
  image.catch(() => images.delete(key));
  const files = await image;
  await writeFiles(dataDir, files);
  return JSON.parse(files.get("credentials.json")!.toString()) as Credentials | null;
}
