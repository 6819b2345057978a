import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { gameList } from "../../games/index.ts";
import type { Log } from "../../ports/log.ts";
import type { ReplayVerdict, Worker } from "../../ports/worker.ts";
import { hashTypedData } from "../signer/hash-typed-data.ts";
import { toHex } from "../signer/keccak.ts";

/**
 * Threads for work that must never run beside ticks. Files of TypeScript run in them directly.
 * `gamesUrl`: the module of the list of games, where it is another one than the service's own.
 * Throws where a task fails by itself; a signature that does not fit is an answer, not a failure.
 */
export function openWorker(
  options: { readonly threads?: number; readonly log?: Log; readonly gamesUrl?: string } = {},
): Worker {
  const gamesUrl = options.gamesUrl ?? gameList.moduleUrl;
  const pool = new Piscina({
    filename: fileURLToPath(new URL("./tasks.ts", import.meta.url)),
    minThreads: 1,
    maxThreads: options.threads ?? 2,
    idleTimeout: 30_000,
  });
  // A thread that dies between tasks is replaced; without this listener it would end the process.
  pool.on("error", (cause) => options.log?.error({ err: cause }, "A worker thread failed."));
  return {
    recoverMessage: (message, signature) => pool.run({ message, signature }, { name: "recoverMessage" }),
    recoverDigest: (digest, signature) => pool.run({ digest, signature }, { name: "recoverDigest" }),
    // Hashing takes less time here than handing the payload over would.
    recoverTypedData: async (typedData, signature) =>
      pool.run({ digest: toHex(hashTypedData(typedData)), signature }, { name: "recoverDigest" }),
    verifyReplay: (replay): Promise<ReplayVerdict> => pool.run({ replay, gamesUrl }, { name: "verifyReplay" }),
    close: () => pool.close({ force: true }),
  };
}
