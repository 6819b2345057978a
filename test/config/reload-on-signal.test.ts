import { expect } from "chai";
import { reloadOnSignal } from "../../backend/app/reload-on-signal.ts";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { getDevelopmentKeys, type ServiceKeys } from "../../backend/config/service-keys.ts";
import { silentLog, waitFor } from "../adapters/chain/chain-fixture.ts";

describe("SIGHUP", () => {
  const keys = getDevelopmentKeys();
  const signals = ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const;
  const others = signals.flatMap((signal) => process.listeners(signal));

  afterEach(() => {
    for (const signal of signals)
      for (const listener of process.listeners(signal)) if (!others.includes(listener)) process.off(signal, listener);
  });

  it("sent twice applies the second reading, even if the first exchange takes longer", async () => {
    const scoreKeys = [developmentAccount(1).privateKey, developmentAccount(2).privateKey];
    const exchanged: ServiceKeys["score"][] = [];
    let read = 0;
    let endFirst = (): void => undefined;
    const first = new Promise<void>((resolve) => {
      endFirst = resolve;
    });
    reloadOnSignal({
      readKeys: async () => ({ ...keys, score: scoreKeys[read++]! }),
      app: {
        exchangeSigners: async ({ score }) => {
          if (score === scoreKeys[0]) await first;
          exchanged.push(score);
        },
      },
      keys,
      log: silentLog,
    });
    process.emit("SIGHUP", "SIGHUP");
    process.emit("SIGHUP", "SIGHUP");
    await new Promise((resolve) => setImmediate(resolve));
    endFirst();
    await waitFor(async () => exchanged.length === 2);
    expect(exchanged).to.deep.equal(scoreKeys);
  });

  it("is the only signal that reads anything: SIGUSR1 opens no debugger, and SIGUSR2 does not end the service", () => {
    const warnings: unknown[] = [];
    const readKeys = async () => keys;
    const log = { ...silentLog, warn: (fields: object) => warnings.push(fields) };
    reloadOnSignal({ readKeys, app: { exchangeSigners: async () => undefined }, keys, log });
    for (const signal of ["SIGUSR1", "SIGUSR2"] as const) {
      expect(process.emit(signal, signal), signal).to.equal(true);
      expect(warnings.at(-1)).to.deep.equal({ signal });
    }
  });

  it("continues after a failed reading", async () => {
    let read = 0;
    let isExchanged = false;
    reloadOnSignal({
      readKeys: async () => {
        read += 1;
        if (read === 1) throw new Error("cannot be read");
        return keys;
      },
      app: {
        exchangeSigners: async () => {
          isExchanged = true;
        },
      },
      keys,
      log: silentLog,
    });
    process.emit("SIGHUP", "SIGHUP");
    process.emit("SIGHUP", "SIGHUP");
    await waitFor(async () => isExchanged);
    expect(read).to.equal(2);
  });

  it("rejects the key of another operator, whose account can only change at a restart", async () => {
    const problems: unknown[] = [];
    let isExchanged = false;
    reloadOnSignal({
      readKeys: async () => ({ ...keys, operator: developmentAccount(1).privateKey }),
      app: {
        exchangeSigners: async () => {
          isExchanged = true;
        },
      },
      keys,
      log: { ...silentLog, error: (fields) => problems.push(fields) },
    });
    process.emit("SIGHUP", "SIGHUP");
    await waitFor(async () => problems.length > 0 || isExchanged);
    expect(isExchanged).to.equal(false);
    expect(JSON.stringify(problems)).to.include("ARCADE_OPERATOR_KEY: expected the operator's present key");
  });
});
