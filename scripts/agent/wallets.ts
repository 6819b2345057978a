/** The agents' wallets: a given key, or one that is created and stored in a file. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { createWalletClient, type Hex, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type ArcadeWallet, fromViem } from "../../client/wallet.ts";
import { parsePrivateKey } from "../../domain/keys.ts";
import { CommandError } from "../cli/failures.ts";
import type { AgentContext } from "./context.ts";
import { lockWallet } from "./wallet-lock.ts";

export interface AgentKey {
  readonly key: Hex;
  /** Where the key comes from, for the user. */
  readonly origin: string;
}

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === "ENOENT";

/** Reads the key of agent `number`, or creates and stores one, readable only by its owner. */
export async function loadOrCreateKey(folder: string, number: number): Promise<AgentKey> {
  const path = join(folder, `${number}.json`);
  const relativePath = relative(process.cwd(), path);
  const displayPath = relativePath.startsWith("..") ? path : relativePath;
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (text !== null) {
    const key = parseKeyFile(text);
    if (key === null)
      throw new CommandError(`${displayPath} is not a wallet.`, {
        next: "move the file away; then a new wallet is created",
      });
    return { key, origin: `loaded from ${displayPath}` };
  }
  const key = generatePrivateKey();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const body = JSON.stringify({ address: privateKeyToAccount(key).address, privateKey: key }, null, 2);
  // "wx": never replace a key that a second process creates; it may already own something.
  await writeFile(path, `${body}\n`, { mode: 0o600, flag: "wx" });
  return { key, origin: `created, kept in ${displayPath}` };
}

/**
 * Locks the first `count` agents that no other process plays and returns their numbers and keys. So a second run in
 * another terminal plays other agents.
 */
export async function claimKeys(
  folder: string,
  count: number,
): Promise<readonly (AgentKey & { readonly number: number })[]> {
  const claimed: (AgentKey & { readonly number: number })[] = [];
  for (let number = 1; claimed.length < count; number += 1) {
    if (!lockWallet(folder, number)) continue;
    const { key, origin } = await loadOrCreateKey(folder, number);
    const busyNote =
      count === 1 && number > 1 ? `; ${number === 2 ? "1 plays" : `1 to ${number - 1} play`} elsewhere` : "";
    claimed.push({ number, key, origin: origin + busyNote });
  }
  return claimed;
}

function parseKeyFile(text: string): Hex | null {
  try {
    const { privateKey } = JSON.parse(text) as { privateKey?: unknown };
    return parsePrivateKey("privateKey", String(privateKey));
  } catch {
    return null;
  }
}

/** A wallet that sends through the context's node. */
export function createWallet(key: Hex, { rpcUrl, publicClient }: AgentContext): ArcadeWallet {
  const walletClient = createWalletClient({ account: privateKeyToAccount(key), transport: http(rpcUrl) });
  return fromViem(walletClient, publicClient);
}

const NAMES = ["Pinch", "Coral", "Ripple", "Barnacle", "Skitter", "Brine", "Pebble", "Marlow", "Tidy", "Flotsam"];

/** The agent's name, the same for each wallet. */
export function getAgentName(address: string): string {
  const tail = address.slice(-4).toLowerCase();
  return `${NAMES[Number.parseInt(tail, 16) % NAMES.length]}-${tail}`;
}
