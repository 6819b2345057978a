import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { ConfigError, checkForChain, readConfig, readSecrets } from "../../backend/config/config.ts";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";

const faultsOf = (run: () => unknown): readonly string[] => {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.faults;
    throw thrown;
  }
  return [];
};

const KEY = `0x${"11".repeat(32)}` as const;

describe("readConfig", () => {
  it("gives the documented defaults on an empty environment", () => {
    const config = readConfig({});
    expect(config).to.include({
      port: 4100,
      portIsSet: false,
      host: "127.0.0.1",
      rpcPort: 8545,
      accessTtlSeconds: 86400,
      refreshTtlSeconds: 604800,
      spectatorsMax: 50,
      rateLimits: null,
    });
    expect(config.databaseUrl).to.match(/^sqlite:.*arcade\.db$/);
    expect(config.tickHz).to.deep.equal({ shellrunners: 20, flappybots: 20 });
    expect(Object.isFrozen(config)).to.equal(true);
  });

  it("reports every fault at once, each with what was expected and what came", () => {
    const faults = faultsOf(() =>
      readConfig({
        ARCADE_PORT: "many",
        ARCADE_TRUST_PROXY: "yes",
        ARCADE_RATE_LIMITS: "maybe",
        ARCADE_PUBLIC_URL: "nowhere",
        ARCADE_TICK_HZ_FLAPPYBOTS: "25",
      }),
    );
    expect(faults).to.have.length(5);
    expect(faults.join("\n")).to.match(/ARCADE_PORT: expected an integer .* received "many"/);
  });

  it("refuses a name it does not know, for it is a spelling mistake", () => {
    expect(faultsOf(() => readConfig({ ARCADE_PROT: "1" }))[0]).to.match(/ARCADE_PROT/);
  });

  it("never repeats a database password", () => {
    const [fault] = faultsOf(() => readConfig({ ARCADE_DATABASE_URL: "postgres://arcade:hunter2@db/x" }));
    expect(fault)
      .to.match(/ARCADE_DATABASE_URL/)
      .and.not.match(/hunter2/);
  });
});

describe("readSecrets", () => {
  it("reads a key and a key file, and never repeats what it could not read", () => {
    const folder = mkdtempSync(join(tmpdir(), "arcade-config-"));
    try {
      const path = join(folder, "key");
      writeFileSync(path, `${KEY}\n`);
      expect(readSecrets({ ARCADE_OPERATOR_KEY: `@${path}` }).operator).to.equal(KEY);
      const faults = faultsOf(() =>
        readSecrets({ ARCADE_OPERATOR_KEY: "0xsecret", ARCADE_SCORE_SIGNER_KEY: "@/nowhere/at/all" }),
      );
      expect(faults).to.have.length(2);
      expect(faults.join()).to.not.match(/0xsecret/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("checkForChain", () => {
  const secrets = (key: `0x${string}` | null) => ({
    identitySigner: key,
    scoreSigner: key,
    operator: key,
    nftSigners: { shellrunners: key, flappybots: key },
  });

  it("lets the local chain run without keys", () => {
    expect(faultsOf(() => checkForChain(readConfig({}), secrets(null), 31337))).to.deep.equal([]);
  });

  it("wants every key on a public chain", () => {
    expect(faultsOf(() => checkForChain(readConfig({}), secrets(null), 84532))).to.have.length(5);
  });

  it("refuses development keys on a public chain", () => {
    const faults = faultsOf(() =>
      checkForChain(readConfig({}), secrets(developmentServiceAccount(2).privateKey), 84532),
    );
    expect(faults).to.have.length(5);
    expect(faults[0]).to.match(/development key/);
  });

  it("refuses to switch rate limits off on a public chain", () => {
    const faults = faultsOf(() => checkForChain(readConfig({ ARCADE_RATE_LIMITS: "off" }), secrets(KEY), 84532));
    expect(faults[0]).to.match(/ARCADE_RATE_LIMITS/);
  });
});
