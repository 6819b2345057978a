import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type EIP1193Provider, status, trackTransaction, wipe } from "@nomicfoundation/ignition-core";
import { artifactResolver } from "../artifacts.ts";
import { broadcast, type Request } from "./provider.ts";
import { readSent } from "./sent-log.ts";

const LOOKS = 40;

/** Ids of steps by how far the journal says they came; nothing where there is no journal. */
export async function readJournal(
  folder: string,
): Promise<{ readonly done: readonly string[]; readonly failed: readonly string[] }> {
  const journal = await readFile(join(folder, "journal.jsonl"), "utf8").catch(() => "");
  if (journal === "") return { done: [], failed: [] };
  const { successful, failed } = await status(folder);
  return { done: successful, failed: failed.map(({ futureId }) => futureId) };
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
  const journal = await readFile(join(folder, "journal.jsonl"), "utf8").catch(() => "");
  if (journal === "") return;
  for (const { txHash, raw } of readSent(folder)) {
    if (journal.includes(txHash)) continue;
    await broadcast(request, raw, txHash);
    for (let look = 1; look <= LOOKS; look++) {
      if ((await request({ method: "eth_getTransactionByHash", params: [txHash] })) !== null) break;
      if (look === LOOKS) throw new Error(`the node forgets the transaction ${txHash} that was sent to it`);
      await wait(pollMs);
    }
    await trackTransaction(folder, txHash, provider, 1);
  }
  for (const futureId of (await readJournal(folder)).failed) await wipe(folder, artifactResolver, futureId);
}
