import { ArcadeError } from "../../domain/errors.ts";
import { getKeyAddress } from "../../domain/keys.ts";
import { ConfigError } from "../config/config.ts";
import type { ServiceKeys } from "../config/service-keys.ts";
import { SECRETS } from "../config/table.ts";
import type { Log } from "../ports/system.ts";
import type { App } from "./app-options.ts";

interface ReloadOptions {
  /** Rereads settings and files. Throws `ConfigError`. */
  readonly readKeys: () => Promise<ServiceKeys>;
  /** The keys at the start. */
  readonly keys: Pick<ServiceKeys, "operator">;
  readonly app: Pick<App, "exchangeSigners">;
  readonly log: Log;
}

/**
 * On SIGHUP the service rereads the key files of its settings and signs with those keys, if the contracts accept them.
 * Signals are handled one after the other, so that the last one decides. SIGUSR1 and SIGUSR2 are ignored.
 */
export function reloadOnSignal({ readKeys, keys, app, log }: ReloadOptions): void {
  const reload = async (): Promise<void> => {
    const next = await readKeys();
    if (getKeyAddress(next.operator) !== getKeyAddress(keys.operator))
      throw new ConfigError([
        `${SECRETS.operator.name}: expected the operator's present key, received another one; restart the service to change it`,
      ]);
    await app.exchangeSigners(next);
    const { identity, score, nft } = next;
    const addresses = Object.entries({ identity, score, ...nft }).map(([duty, key]) => [duty, getKeyAddress(key)]);
    log.info({ signers: Object.fromEntries(addresses) }, "the keys were read again");
  };
  // Rotations of logs may send these signals. Node would open a debugger for all users of the machine, or end at once.
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const)
    process.on(signal, () =>
      log.warn({ signal }, "this signal has no effect: SIGHUP reads the keys again, SIGTERM stops the service"),
    );
  let last = Promise.resolve();
  process.on("SIGHUP", () => {
    last = last.then(reload).catch((error: unknown) => {
      const isKnown = error instanceof ConfigError || error instanceof ArcadeError;
      const fields = isKnown ? { problem: error.message } : { err: error };
      log.error(fields, "the keys were read again and not taken; the service signs with its former keys");
    });
  });
}
