import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "viem";

/** A signed transaction, stored before it is broadcast, so that none can reach the chain unknown to us. */
export interface SentTransaction {
  /** The step that it executes. */
  readonly step: string;
  readonly nonce: number;
  readonly txHash: Hex;
  readonly raw: Hex;
}

const getSentLogPath = (folder: string): string => join(folder, "sent.jsonl");

/** Appends one transaction and syncs it to disk. */
export function recordSent(folder: string, sent: SentTransaction): void {
  mkdirSync(folder, { recursive: true });
  const file = openSync(getSentLogPath(folder), "a");
  try {
    // Start a new line: the last one may have been cut off.
    writeSync(file, `\n${JSON.stringify(sent)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Every signed transaction, oldest first. A line that was cut off was never broadcast. */
export function readSent(folder: string): readonly SentTransaction[] {
  let text: string;
  try {
    text = readFileSync(getSentLogPath(folder), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as SentTransaction];
    } catch {
      return [];
    }
  });
}

/** Removes a transaction that reached no chain. */
export function removeSent(folder: string, txHash: Hex): void {
  const kept = readSent(folder).filter((sent) => sent.txHash !== txHash);
  writeFileSync(`${getSentLogPath(folder)}.new`, kept.map((sent) => `${JSON.stringify(sent)}\n`).join(""));
  renameSync(`${getSentLogPath(folder)}.new`, getSentLogPath(folder));
}
