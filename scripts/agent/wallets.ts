/** The agents' wallets: a key that was given, or one that is made once and kept. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type ArcadeWallet, fromViem } from "../../client/wallet.ts";
import { CommandError } from "../cli/failures.ts";
import { holdAgent } from "./hold.ts";
import type { Place } from "./place.ts";

export interface AgentKey {
  readonly key: `0x${string}`;
  /** Where it is from, in words. */
  readonly origin: string;
}

const isMissing = (fault: unknown): boolean => (fault as { code?: unknown }).code === "ENOENT";

/** Reads the key of agent `number`, or makes and keeps one, readable by its owner alone. */
export async function keepKey(folder: string, number: number): Promise<AgentKey> {
  const path = join(folder, `${number}.json`);
  const near = relative(process.cwd(), path);
  const shown = near.startsWith("..") ? path : near;
  const text = await readFile(path, "utf8").catch((fault: unknown) => {
    if (isMissing(fault)) return null;
    throw fault;
  });
  if (text !== null) {
    const key = keyIn(text);
    if (key === null)
      throw new CommandError(`${shown} holds no wallet.`, { next: "move the file away; a new wallet is made then" });
    return { key, origin: `loaded from ${shown}` };
  }
  const key = generatePrivateKey();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const body = JSON.stringify({ address: privateKeyToAccount(key).address, privateKey: key }, null, 2);
  // "wx": a second process that makes the same agent must not replace a key that may hold something already.
  await writeFile(path, `${body}\n`, { mode: 0o600, flag: "wx" });
  return { key, origin: `created, kept in ${shown}` };
}

/**
 * The first `count` agents that no other process plays, each with its number and key. A second run in another terminal
 * is other agents.
 */
export async function takeKeys(
  folder: string,
  count: number,
): Promise<readonly (AgentKey & { readonly number: number })[]> {
  const taken: (AgentKey & { readonly number: number })[] = [];
  for (let number = 1; taken.length < count; number += 1) {
    if (!holdAgent(folder, number)) continue;
    const { key, origin } = await keepKey(folder, number);
    const busy = count === 1 && number > 1 ? `; ${number === 2 ? "1 plays" : `1 to ${number - 1} play`} elsewhere` : "";
    taken.push({ number, key, origin: origin + busy });
  }
  return taken;
}

function keyIn(text: string): `0x${string}` | null {
  try {
    const { privateKey } = JSON.parse(text) as { privateKey?: unknown };
    return typeof privateKey === "string" && /^0x[0-9a-fA-F]{64}$/.test(privateKey)
      ? (privateKey as `0x${string}`)
      : null;
  } catch {
    return null;
  }
}

/** A wallet that sends through the place's node. */
export function walletOf(key: `0x${string}`, { rpcUrl, publicClient }: Place): ArcadeWallet {
  const walletClient = createWalletClient({ account: privateKeyToAccount(key), transport: http(rpcUrl) });
  return fromViem(walletClient, publicClient);
}

const NAMES = ["Pinch", "Coral", "Ripple", "Barnacle", "Skitter", "Brine", "Pebble", "Marlow", "Tidy", "Flotsam"];

/** A name that the same wallet always gets. */
export function nameOf(address: string): string {
  const tail = address.slice(-4).toLowerCase();
  return `${NAMES[Number.parseInt(tail, 16) % NAMES.length]}-${tail}`;
}
