/**
 * Faults for the simulator's own test: one line of a safeguard is changed while its module is loaded, in the simulator's
 * process only. A simulation that does not find one of them is worth nothing.
 */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/start/build.ts";

interface PlantedFault {
  /** What is missing then. */
  readonly safeguard: string;
  readonly file: string;
  readonly line: string;
  readonly replacement: string;
}

export const PLANTED: { readonly [name: string]: PlantedFault } = {
  "answer-before-commit": {
    safeguard: "callers get their results after the commit",
    file: "backend/adapters/store/group-commit.ts",
    line: "return () => resolve(value);",
    replacement: "resolve(value); return () => undefined;",
  },
  "nonce-used-twice": {
    safeguard: "a nonce works once",
    file: "backend/services/auth/auth.ts",
    line: "if (!(await store.consumeNonce(row.nonce, nowMs)))",
    replacement: "if (!(await store.consumeNonce(row.nonce, nowMs)) && row.usedAtMs !== null)",
  },
  "gap-not-filled": {
    safeguard: "unused nonces are filled",
    file: "backend/adapters/chain/transaction-manager/reconciler.ts",
    line: "if (first !== undefined) await fillNonceGap(this.#options, first.nonce, minedCount);",
    replacement: "",
  },
};

/** Loads the file of a planted fault with its changed line. Call it before the product is imported. */
export function plant(name: string): void {
  const fault = PLANTED[name];
  if (fault === undefined) throw new Error(`there is no planted fault ${name}`);
  const target = pathToFileURL(join(root, fault.file)).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== target) return loaded;
      const text = String(loaded.source);
      const parts = text.split(fault.line);
      if (parts.length !== 2) throw new Error(`${fault.file} has the line of ${name} ${parts.length - 1} times`);
      return { ...loaded, source: parts.join(fault.replacement) };
    },
  });
}
