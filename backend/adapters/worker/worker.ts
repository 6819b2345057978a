import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { gameList } from "../../../games/index.ts";
import type { Log, ReplayVerification, Worker } from "../../ports/system.ts";
import { LimitedQueue } from "../node/limited-queue.ts";
import { hashTypedData } from "../signer/hash-typed-data.ts";
import { toHex } from "../signer/keccak.ts";
import type * as ThreadTasks from "./thread.ts";

const THREADS = 2;

export type ThreadPool = Piscina;

/** The threads alone, for callers that open several workers on them. */
export const openThreadPool = (threads = THREADS): ThreadPool =>
  new Piscina({
    filename: fileURLToPath(new URL("./thread.ts", import.meta.url)),
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 30_000,
  });

/**
 * Opens a pool of threads for work that must not delay ticks. Its methods reject when a task fails; a signature that
 * does not match is a result, not a failure. `close` waits for the tasks that run; those that wait for a thread reject.
 * @param options.gamesUrl The module of the list of games; the service's own by default.
 * @param options.pool Threads that outlive the worker; by default it has its own.
 */
export function openWorker(
  options: {
    readonly threads?: number;
    readonly log?: Log;
    readonly gamesUrl?: string;
    readonly pool?: ThreadPool;
  } = {},
): Worker {
  const gamesUrl = options.gamesUrl ?? gameList.moduleUrl;
  const threads = options.threads ?? THREADS;
  const pool = options.pool ?? openThreadPool(threads);
  // The pool replaces a thread that dies between tasks; without this listener the error would end the process.
  const logFailure = (cause: unknown) => options.log?.error({ err: cause }, "a worker thread failed");
  pool.on("error", logFailure);
  // Tasks wait here for a thread: closing the pool itself may end a thread in the middle of a task.
  const queue = new LimitedQueue(threads);
  const calls = new Set<Promise<unknown>>();
  let isClosed = false;
  const run = async <T>(name: keyof typeof ThreadTasks, input: object): Promise<T> => {
    const call: Promise<T> = queue.run(async () => {
      if (isClosed) throw new Error("The pool of threads is closed");
      return pool.run(input, { name });
    });
    calls.add(call);
    try {
      return await call;
    } finally {
      calls.delete(call);
    }
  };
  run("warmUp", {}).catch(logFailure);
  return {
    recoverMessage: (message, signature) => run("recoverMessage", { message, signature }),
    recoverDigest: (digest, signature) => run("recoverDigest", { digest, signature }),
    // Hashing here takes less time than sending the payload to a thread.
    recoverTypedData: async (typedData, signature) =>
      run("recoverDigest", { digest: toHex(hashTypedData(typedData)), signature }),
    verifyReplay: (replay): Promise<ReplayVerification> => run("verifyReplay", { replay, gamesUrl }),
    async close() {
      isClosed = true;
      await Promise.allSettled(calls);
      pool.off("error", logFailure);
      if (options.pool === undefined) await pool.destroy();
    },
  };
}
