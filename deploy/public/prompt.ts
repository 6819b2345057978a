import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/**
 * Prompts for a line that is not shown while it is typed. Writes the prompt to stderr, because a program may read
 * stdout. Throws if the input ends without an answer.
 */
export async function promptSecret(question: string): Promise<string> {
  process.stderr.write(`  ${question}: `);
  const mute = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: mute, terminal: process.stdin.isTTY === true });
  const abortController = new AbortController();
  const ended = once(reader, "close", { signal: abortController.signal }).then((): never => {
    throw new Error("the input ended without an answer");
  });
  try {
    return await Promise.race([reader.question(""), ended]);
  } finally {
    ended.catch(() => {});
    abortController.abort();
    reader.close();
    process.stderr.write("\n");
  }
}
