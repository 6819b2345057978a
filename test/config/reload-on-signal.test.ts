import { expect } from "chai";
import { reloadOnSignal } from "../../backend/app/reload-on-signal.ts";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { getDevelopmentKeys, type ServiceKeys } from "../../backend/config/service-keys.ts";
import { silentLog, waitFor } from "../adapters/chain/chain-fixture.ts";

describe("SIGHUP", () => {
  const keys = getDevelopmentKeys();
  const others = process.listeners("SIGHUP");

  afterEach(() => {
    for (const listener of process.listeners("SIGHUP")) if (!others.includes(listener)) process.off("SIGHUP", listener);
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
