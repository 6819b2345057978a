import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type EIP1193Provider, status, trackTransaction, wipe } from "@nomicfoundation/ignition-core";
import { artifactResolver } from "../artifacts.ts";
import { broadcast, type Request } from "./provider.ts";
import { forgetSent, readSent, type SentTransaction } from "./sent-log.ts";

type Hex = `0x${string}`;

const LOOKS = 40;

/** The fields of Ignition's journal that are looked at here. */
interface JournalLine {
  readonly type: string;
  readonly futureId?: string;
  readonly networkInteractionId?: number;
}

const pathOf = (folder: string): string => join(folder, "journal.jsonl");
const readText = (folder: string): Promise<string> => readFile(pathOf(folder), "utf8").catch(() => "");

/** Ids of steps by how far the journal says they came; nothing where there is no journal. */
export async function readJournal(
  folder: string,
): Promise<{ readonly done: readonly string[]; readonly failed: readonly string[] }> {
  if ((await readText(folder)) === "") return { done: [], failed: [] };
  const { successful, failed } = await status(folder);
  return { done: successful, failed: failed.map(({ futureId }) => futureId) };
}

/**
 * Answers false where the transaction is on no chain: the node refuses it and either its nonce is free still, or
 * another transaction has taken it. Public nodes are many behind one address: one may refuse a nonce as used while the
 * next does not show yet by whom, so a used nonce is looked at for a while.
 */
async function arrives(
  request: Request,
  deployer: Hex,
  { raw, txHash, nonce }: SentTransaction,
  pollMs: number,
): Promise<boolean> {
  let isRefused = false;
  try {
    await broadcast(request, raw, txHash);
  } catch (error) {
    if (typeof (error as { code?: unknown }).code !== "number") throw error;
    isRefused = true;
  }
  for (let look = 1; look <= LOOKS; look++) {
    if ((await request({ method: "eth_getTransactionByHash", params: [txHash] })) !== null) return true;
    if (
      isRefused &&
      Number(await request({ method: "eth_getTransactionCount", params: [deployer, "latest"] })) <= nonce
    )
      return false;
    await wait(pollMs);
  }
  if (isRefused) return false;
  throw new Error(`the node took the transaction ${txHash} and does not know it`);
}

/** Ignition notes a nonce before it sends, and stops for ever where nothing follows: nothing was sent, so it goes. */
async function dropUnsent(folder: string): Promise<void> {
  const lines = (await readText(folder)).split("\n").filter(Boolean);
  const parsed = lines.map((line) => JSON.parse(line) as JournalLine);
  const keyOf = ({ futureId, networkInteractionId }: JournalLine): string => `${futureId} ${networkInteractionId}`;
  const sent = new Set(parsed.filter(({ type }) => type === "TRANSACTION_SEND").map(keyOf));
  const kept = lines.filter(
    (_, index) => parsed[index]!.type !== "TRANSACTION_PREPARE_SEND" || sent.has(keyOf(parsed[index]!)),
  );
  if (kept.length === lines.length) return;
  await writeFile(`${pathOf(folder)}.new`, `${kept.join("\n")}\n`);
  await rename(`${pathOf(folder)}.new`, pathOf(folder));
}

/**
 * Brings the journal up to what happened: a transaction that was signed before an interruption, but whose sending was
 * not noted any more, is broadcast again (the same bytes, hence the same transaction) and noted. Without this the same
 * step would be sent twice. Steps that failed left nothing on the chain and are forgotten, so that they are tried again.
 */
export async function healJournal(
  folder: string,
  request: Request,
  provider: EIP1193Provider,
  pollMs: number,
): Promise<void> {
  const journal = await readText(folder);
  if (journal === "") return;
  const [deployer] = (await provider.request({ method: "eth_accounts" })) as [Hex];
  for (const sent of readSent(folder)) {
    if (journal.includes(sent.txHash)) continue;
    if (await arrives(request, deployer, sent, pollMs)) await trackTransaction(folder, sent.txHash, provider, 1);
    else forgetSent(folder, sent.txHash);
  }
  await dropUnsent(folder);
  for (const futureId of (await readJournal(folder)).failed) await wipe(folder, artifactResolver, futureId);
}
