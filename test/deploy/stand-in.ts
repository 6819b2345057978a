/** An anvil that plays a testnet: another chain id, no unlocked accounts, CreateX put there as everybody does. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createTestClient, http, type PrivateKeyAccount, publicActions, walletActions } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { baseSepolia } from "viem/chains";
import { games } from "../../backend/games/index.ts";
import { CREATE_X } from "../../deploy/public/create2.ts";

type Hex = `0x${string}`;

export const root = fileURLToPath(new URL("../..", import.meta.url));
const ETHER = 10n ** 18n;
const CREATE_X_DEPLOYER = "0xeD456e05CaAb11d66C4c797dD6c1D6f9A7F352b5";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** The transaction by which CreateX reaches a chain, as Ignition carries it. */
async function presignedCreateX(): Promise<Hex> {
  const core = dirname(fileURLToPath(import.meta.resolve("@nomicfoundation/ignition-core/package.json")));
  const file = join(core, "dist/src/internal/execution/strategy/createx-artifact.js");
  return ((await import(pathToFileURL(file).href)) as { presignedTx: Hex }).presignedTx;
}

export interface StandInOptions {
  readonly chainId?: number;
  /** Absent: a block for every transaction. */
  readonly blockSeconds?: number;
  readonly createX?: boolean;
  readonly hardfork?: string;
}

export async function startStandIn(options: StandInOptions = {}) {
  const { chainId = 84_532, blockSeconds, createX = true, hardfork = "cancun" } = options;
  const port = await freePort();
  const binary = join(
    root,
    `node_modules/@foundry-rs/anvil-linux-${process.arch === "x64" ? "amd64" : process.arch}/bin/anvil`,
  );
  const pace = blockSeconds === undefined ? [] : ["--block-time", String(blockSeconds)];
  const child: ChildProcess = spawn(
    binary,
    [
      "--port",
      String(port),
      "--chain-id",
      String(chainId),
      "--accounts",
      "0",
      "--hardfork",
      hardfork,
      "--silent",
      ...pace,
    ],
    { stdio: "ignore" },
  );
  const rpcUrl = `http://127.0.0.1:${port}`;
  const client = createTestClient({
    mode: "anvil",
    chain: { ...baseSepolia, id: chainId, contracts: {} } as unknown as typeof baseSepolia,
    transport: http(rpcUrl, { retryCount: 40, retryDelay: 50 }),
    cacheTime: 0,
    pollingInterval: 50,
  })
    .extend(publicActions)
    .extend(walletActions);
  const close = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  try {
    if ((await client.getChainId()) !== chainId) throw new Error("another program took the port");
    if (createX) {
      await client.setBalance({ address: CREATE_X_DEPLOYER, value: ETHER });
      const hash = await client.sendRawTransaction({ serializedTransaction: await presignedCreateX() });
      await client.waitForTransactionReceipt({ hash });
      if ((await client.getCode({ address: CREATE_X })) === undefined) throw new Error("CreateX is not there");
    }
  } catch (fault) {
    await close();
    throw fault;
  }
  return { rpcUrl, chainId, client, close };
}
export type StandIn = Awaited<ReturnType<typeof startStandIn>>;

const newAccount = (): PrivateKeyAccount & { readonly key: Hex } => {
  const key = generatePrivateKey();
  return { ...privateKeyToAccount(key), key };
};

/** Fresh keys for every duty. */
export function makePeople() {
  const people = {
    ...{ deployer: newAccount(), admin: newAccount(), guardian: newAccount(), operator: newAccount() },
    ...{ treasury: newAccount(), identity: newAccount(), score: newAccount() },
    nft: Object.fromEntries(games.map(({ slug }) => [slug, newAccount()])),
  };
  const roles = {
    admin: people.admin.address,
    guardian: people.guardian.address,
    operator: people.operator.address,
    treasury: people.treasury.address,
    signers: {
      identity: people.identity.address,
      score: people.score.address,
      nft: Object.fromEntries(Object.entries(people.nft).map(([slug, { address }]) => [slug, address])),
    },
    publicUrl: "https://arcade.example",
  };
  return { people, roles };
}
export type People = ReturnType<typeof makePeople>["people"];

/** Environment of the backend with these keys. */
export const secretsOf = (people: People): NodeJS.ProcessEnv => ({
  ARCADE_IDENTITY_SIGNER_KEY: people.identity.key,
  ARCADE_SCORE_SIGNER_KEY: people.score.key,
  ARCADE_OPERATOR_KEY: people.operator.key,
  ...Object.fromEntries(
    Object.entries(people.nft).map(([slug, { key }]) => [`ARCADE_NFT_SIGNER_KEY_${slug.toUpperCase()}`, key]),
  ),
});

export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The last line of stdout, parsed; null where there is none. */
  readonly answer: Record<string, unknown> | null;
}

/**
 * Starts a program of the repository with a bare environment; `done` resolves when it has ended. `answers` are typed
 * one by one, each after a question, which ends with a colon.
 */
export function startProgram(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  answers: readonly string[] = [],
) {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [join(root, file), ...args], {
    cwd: root,
    stdio: [answers.length === 0 ? "ignore" : "pipe", "pipe", "pipe"],
    env: { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), CI: "1", ...env },
  });
  const texts = { stdout: "", stderr: "" };
  const left = [...answers];
  for (const name of ["stdout", "stderr"] as const) {
    child[name]!.on("data", (chunk) => {
      texts[name] += chunk;
      if (left.length === 0 || !/: $/.test(String(chunk))) return;
      child.stdin!.write(`${left.shift()}\n`);
      // An open pipe would keep the program from ending.
      if (left.length === 0) child.stdin!.end();
    });
  }
  const done = once(child, "close").then(([code]): CommandOutcome => {
    const line = texts.stdout.trim().split("\n").at(-1) ?? "";
    return { code: code as number | null, ...texts, answer: line.startsWith("{") ? JSON.parse(line) : null };
  });
  return { child, done };
}

/** Starts a command of `scripts/`. */
export const startCommand = (name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  startProgram("scripts/run.mjs", [name, ...args], env);

export const runTool = (name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandOutcome> =>
  startCommand(name, args, env).done;
