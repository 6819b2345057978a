/** Files of a deployed chain and of an empty store, made once in each process: a stack that copies them starts faster. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { openStoreOn, type StoreOptions } from "../../backend/adapters/store/open-store.ts";
import { createSqliteDialect, openSqliteFile } from "../../backend/adapters/store/sqlite.ts";
import { readConfig, readSecrets } from "../../backend/config/config.ts";
import { getServiceKeys } from "../../backend/config/service-keys.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { deployLocal } from "../../deploy/execute-local.ts";
import type { GameList } from "../../games/index.ts";
import { startDevChain } from "../../local-chain/dev-stack.ts";

type Files = ReadonlyMap<string, Buffer>;
type Environment = { readonly [name: string]: string };

const JOURNAL = "chain/journal.jsonl";
const DEPLOYMENT = "deployment.json";
const STORE = "arcade.db";
/** Settings that decide which contracts are deployed, and where their addresses are written. */
const CHANGES_DEPLOYMENT = /^ARCADE_(?:DEPLOYMENT_PATH$|OPERATOR_(?!CALLS)|\w+_SIGNER_)/;

const readFiles = async (folder: string, names: readonly string[]): Promise<Files> =>
  new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));

async function withTempFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "arcade-template-"));
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
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
/** By what is deployed. */
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

/** Writes the chain that `deploy` made in another folder to `dataDir`: with one `key`, the first call deploys. */
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

/** Fills a new data folder. A folder with a chain, and one for other contracts, stays as it is. */
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
