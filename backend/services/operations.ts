import { ArcadeError } from "../domain/errors.ts";
import type { ChainReader, Store } from "../ports.ts";

interface OperationPorts {
  readonly store: Pick<Store, "probe">;
  readonly chain: ChainReader;
  readonly draining: () => boolean;
  /** Says what is wrong with the signers' roles on chain, null when nothing is. */
  readonly signerFault: () => Promise<string | null>;
}

export type Operations = ReturnType<typeof makeOperations>;

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly sentence: string;
}

/** Whether this process can do its work right now. */
export function makeOperations({ store, chain, draining, signerFault }: OperationPorts) {
  const check = async (name: string, run: () => Promise<string | null>): Promise<Check> => {
    try {
      const fault = await run();
      return { name, ok: fault === null, sentence: fault ?? "fine" };
    } catch (thrown) {
      const sentence = thrown instanceof ArcadeError ? thrown.message : "the check failed";
      return { name, ok: false, sentence };
    }
  };

  return {
    /** Database write, chain, signer roles; `ready` is all of them. */
    async readiness() {
      const checks = await Promise.all([
        check("process", async () => (draining() ? "the service is stopping" : null)),
        check("database", async () => {
          await store.probe();
          return null;
        }),
        check("chain", async () => {
          await chain.head();
          return null;
        }),
        check("signers", signerFault),
      ]);
      return { ready: checks.every(({ ok }) => ok), checks };
    },
  };
}
