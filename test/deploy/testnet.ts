/** An anvil as a testnet: another chain id, no unlocked accounts, and CreateX deployed in the public way. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hex } from "viem";
import { createTestClient, http, type PrivateKeyAccount, publicActions, walletActions } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { baseSepolia } from "viem/chains";
import { CREATE_X } from "../../deploy/public/create2.ts";
import { readFactoryTransaction } from "../../deploy/public/factory.ts";
import { games } from "../../games/index.ts";
import { startAnvil as startAnvilProgram } from "../../scripts/deploy/anvil.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const ETHER = 10n ** 18n;
export const CREATE_X_DEPLOYER = "0xeD456e05CaAb11d66C4c797dD6c1D6f9A7F352b5";

export interface AnvilOptions {
  readonly chainId?: number;
  /** Absent: a block for every transaction. */
  readonly blockSeconds?: number;
  readonly createX?: boolean;
  readonly hardfork?: string;
  /** Gas of a block; anvil's own 30 million when absent. */
  readonly blockGas?: number;
}

export async function startAnvil(options: AnvilOptions = {}) {
  const { chainId = 84_532, blockSeconds, createX = true, hardfork = "cancun", blockGas } = options;
  const { rpcUrl, close, processId } = await startAnvilProgram([
    ...["--chain-id", String(chainId), "--hardfork", hardfork],
    ...(blockSeconds === undefined ? [] : ["--block-time", String(blockSeconds)]),
    ...(blockGas === undefined ? [] : ["--gas-limit", String(blockGas)]),
  ]);
  const client = createTestClient({
    mode: "anvil",
    chain: { ...baseSepolia, id: chainId, contracts: {} } as unknown as typeof baseSepolia,
    transport: http(rpcUrl, { retryCount: 40, retryDelay: 50 }),
    cacheTime: 0,
    pollingInterval: 50,
  })
    .extend(publicActions)
    .extend(walletActions);
  try {
    if (createX) {
      await client.setBalance({ address: CREATE_X_DEPLOYER, value: ETHER });
      const hash = await client.sendRawTransaction({ serializedTransaction: await readFactoryTransaction() });
      await client.waitForTransactionReceipt({ hash });
      if ((await client.getCode({ address: CREATE_X })) === undefined) throw new Error("CreateX is not there");
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { rpcUrl, chainId, client, close, processId };
}
export type AnvilNode = Awaited<ReturnType<typeof startAnvil>>;

const createAccount = (): PrivateKeyAccount & { readonly key: Hex } => {
  const key = generatePrivateKey();
  return { ...privateKeyToAccount(key), key };
};

/** New keys for every role. */
export function createTestAccounts() {
  const people = {
    deployer: createAccount(),
    admin: createAccount(),
    guardian: createAccount(),
    operator: createAccount(),
    treasury: createAccount(),
    identity: createAccount(),
    score: createAccount(),
    nft: Object.fromEntries(games.map(({ slug }) => [slug, createAccount()])),
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
export type TestAccounts = ReturnType<typeof createTestAccounts>["people"];

/** Environment of the backend with these keys. */
export const toSecretsEnv = (accounts: TestAccounts): NodeJS.ProcessEnv => ({
  ARCADE_IDENTITY_SIGNER_KEY: accounts.identity.key,
  ARCADE_SCORE_SIGNER_KEY: accounts.score.key,
  ARCADE_OPERATOR_KEY: accounts.operator.key,
  ...Object.fromEntries(
    Object.entries(accounts.nft).map(([slug, { key }]) => [`ARCADE_NFT_SIGNER_KEY_${slug.toUpperCase()}`, key]),
  ),
});

export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The last line of stdout, parsed; null if there is none. */
  readonly json: Record<string, unknown> | null;
}

/**
 * Starts a program of the repository with a minimal environment. `done` resolves when it has ended. `answers` are typed
 * one by one, each after a question that ends with a colon.
 */
export function startProgram(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  inputs: readonly string[] = [],
) {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [join(root, file), ...args], {
    cwd: root,
    stdio: [inputs.length === 0 ? "ignore" : "pipe", "pipe", "pipe"],
    env: { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), CI: "1", ...env },
  });
  const texts = { stdout: "", stderr: "" };
  const remainingInputs = [...inputs];
  for (const name of ["stdout", "stderr"] as const) {
    child[name]!.on("data", (chunk) => {
      texts[name] += chunk;
      if (remainingInputs.length === 0 || !/: $/.test(String(chunk))) return;
      child.stdin!.write(`${remainingInputs.shift()}\n`);
      // An open pipe would keep the program from ending.
      if (remainingInputs.length === 0) child.stdin!.end();
    });
  }
  const done = once(child, "close").then(([code]): CommandOutcome => {
    const line = texts.stdout.trim().split("\n").at(-1) ?? "";
    return { code: code as number | null, ...texts, json: line.startsWith("{") ? JSON.parse(line) : null };
  });
  return { child, done };
}

/** Starts a command of `scripts/`. */
export const startCommand = (name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  startProgram("scripts/run.mjs", [name, ...args], env);

export const runCommand = (
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<CommandOutcome> => startCommand(name, args, env).done;
