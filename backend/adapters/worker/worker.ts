import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { gameList } from "../../games/index.ts";
import type { Log, ReplayVerification, Worker } from "../../ports/system.ts";
import { hashTypedData } from "../signer/hash-typed-data.ts";
import { toHex } from "../signer/keccak.ts";

/**
 * Opens a pool of threads for work that must not delay ticks. Its methods reject when a task fails; a signature that
 * does not match is a result, not a failure.
 * @param options.gamesUrl The module of the list of games; the service's own by default.
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
  // The pool replaces a thread that dies between tasks; without this listener the error would end the process.
  pool.on("error", (cause) => options.log?.error({ err: cause }, "a worker thread failed"));
  return {
    recoverMessage: (message, signature) => pool.run({ message, signature }, { name: "recoverMessage" }),
    recoverDigest: (digest, signature) => pool.run({ digest, signature }, { name: "recoverDigest" }),
    // Hashing here takes less time than sending the payload to a thread.
    recoverTypedData: async (typedData, signature) =>
      pool.run({ digest: toHex(hashTypedData(typedData)), signature }, { name: "recoverDigest" }),
    verifyReplay: (replay): Promise<ReplayVerification> => pool.run({ replay, gamesUrl }, { name: "verifyReplay" }),
    close: () => pool.close({ force: true }),
  };
}
