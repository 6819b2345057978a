import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Hex } from "viem";
import { getAddress } from "viem";
import { mnemonicToAccount, privateKeyToAddress } from "viem/accounts";
import {
  ConfigError,
  checkForChain,
  readConfig,
  readConfigAndSecrets,
  readSecrets,
  type Secrets,
} from "../../backend/config/config.ts";
import { developmentAccount, isWellKnownAddress } from "../../backend/config/dev-keys.ts";

const getIssues = (run: () => unknown): readonly string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
  return [];
};

const KEY = `0x${"11".repeat(32)}` as const;

describe("readConfig", () => {
  it("returns the documented defaults for an empty environment", () => {
    const config = readConfig({});
    expect(config).to.include({
      port: 4100,
      portIsSet: false,
      host: "127.0.0.1",
      publicUrl: null,
      rpcPort: 8545,
      accessTtlSeconds: 86400,
      refreshTtlSeconds: 604800,
      authDomains: null,
      trustProxy: false,
      spectatorsMax: 50,
      sessionsMax: 500,
      rateLimits: null,
      reputationRegistry: null,
    });
    expect(config.databaseUrl).to.match(/^sqlite:.*arcade\.db$/);
    expect(config.tickHz).to.deep.equal({ shellrunners: 20, flappybots: 20 });
    expect(Object.isFrozen(config)).to.equal(true);
  });

  it("turns the text of each kind of setting into its value", () => {
    const config = readConfig({
      ARCADE_PORT: "5000",
      ARCADE_PUBLIC_URL: "https://arcade.example/",
      ARCADE_AUTH_DOMAINS: "arcade.example, localhost:4100",
      ARCADE_TRUST_PROXY: "true",
      ARCADE_RATE_LIMITS: "off",
      ARCADE_TICK_HZ_FLAPPYBOTS: "30",
    });
    expect(config).to.include({
      port: 5000,
      portIsSet: true,
      publicUrl: "https://arcade.example",
      trustProxy: true,
      rateLimits: "off",
    });
    expect(config.authDomains).to.deep.equal(["arcade.example", "localhost:4100"]);
    expect(config.tickHz).to.deep.equal({ shellrunners: 20, flappybots: 30 });
  });

  it("divides the work among processes that share PostgreSQL and NATS, in any order of the roles", () => {
    const shared = { ARCADE_DATABASE_URL: "postgres://host/arcade", ARCADE_NATS_URL: "nats://host" };
    expect(readConfig({}).roles).to.deep.equal(["api", "live", "edge", "chain"]);
    expect(readConfig({ ARCADE_ROLES: "chain, edge,live,api" }).roles).to.deep.equal(["api", "live", "edge", "chain"]);
    expect(readConfig({ ...shared, ARCADE_ROLES: "edge,api" }).roles).to.deep.equal(["api", "edge"]);
  });

  it("rejects roles that do not exist, and roles without what their processes share", () => {
    for (const ARCADE_ROLES of ["viewer", "api,,live", ","])
      expect(getIssues(() => readConfig({ ARCADE_ROLES }))[0]).to.equal(
        `ARCADE_ROLES: expected some of api, live, edge, chain, with commas between, received "${ARCADE_ROLES}"; correct it, or leave it out for api,live,edge,chain`,
      );
    const rest = "servers with the other roles share, received none; set what is missing, or leave the roles out";
    expect(getIssues(() => readConfig({ ARCADE_ROLES: "edge" }))).to.deep.equal([
      `ARCADE_ROLES: expected ARCADE_DATABASE_URL=postgres://… and ARCADE_NATS_URL beside "edge", which ${rest}`,
    ]);
    const ARCADE_DATABASE_URL = "postgres://host/arcade";
    expect(getIssues(() => readConfig({ ARCADE_ROLES: "api,live", ARCADE_DATABASE_URL }))).to.deep.equal([
      `ARCADE_ROLES: expected ARCADE_NATS_URL beside "api,live", which ${rest}`,
    ]);
  });

  it("reports every error at once, each with what was expected, what was received and what to do", () => {
    const issues = getIssues(() =>
      readConfig({
        ARCADE_PORT: "many",
        ARCADE_TRUST_PROXY: "yes",
        ARCADE_RATE_LIMITS: "maybe",
        ARCADE_PUBLIC_URL: "nowhere",
        ARCADE_TICK_HZ_FLAPPYBOTS: "25",
        ARCADE_PROT: "1",
      }),
    );
    expect(issues).to.deep.equal([
      'ARCADE_PORT: expected an integer from 0 to 65535, received "many"; correct it, or leave it out for 4100',
      'ARCADE_PUBLIC_URL: expected http:// or https:// with a host and perhaps a port, and nothing after it, received "nowhere"; correct it, or leave it out',
      'ARCADE_TRUST_PROXY: expected true or false, received "yes"; correct it, or leave it out for false',
      'ARCADE_TICK_HZ_FLAPPYBOTS: expected one of 10, 12, 15, 20, 30, 60, received "25"; correct it, or leave it out',
      'ARCADE_RATE_LIMITS: expected on or off, received "maybe"; correct it, or leave it out',
      "ARCADE_PROT: there is no such setting; docs/config.md lists them all",
    ]);
  });

  for (const port of ["-1", "65536", "1.5", "0x10", " 80"]) {
    it(`rejects the port "${port}"`, () => {
      expect(getIssues(() => readConfig({ ARCADE_PORT: port }))).to.have.length(1);
    });
  }

  it("never repeats a URL that may hold a password or an access key", () => {
    const issues = getIssues(() =>
      readConfig({ ARCADE_DATABASE_URL: "mysql://arcade:hunter2@db/x", ARCADE_RPC_URL: "node.example/v2/hunter2" }),
    );
    expect(issues).to.have.length(2);
    expect(issues.join())
      .to.match(/ARCADE_DATABASE_URL/)
      .and.not.match(/hunter2/);
  });
});

describe("the public URL", () => {
  for (const value of [
    "localhost:4100",
    "arcade.example:443",
    "javascript:alert(1)",
    "ftp://arcade.example",
    "http://127.0.0.1:4100/play",
    "https://user:secret@arcade.example",
    "https://arcade.example/?a=b",
    "https://arcade.example/#top",
    "https://",
  ])
    it(`is rejected as ${value}`, () => {
      const issues = getIssues(() => readConfig({ ARCADE_PUBLIC_URL: value }));
      expect(issues).to.have.length(1);
      expect(issues[0]).to.match(/^ARCADE_PUBLIC_URL: expected http:\/\/ or https:\/\//);
    });

  const spellings = [
    ["HTTPS://Arcade.Example:443/", "https://arcade.example"],
    ["http://LOCALHOST:80", "http://localhost"],
    ["http://[0:0:0:0:0:0:0:1]:4100", "http://[::1]:4100"],
  ] as const;
  for (const [value, origin] of spellings)
    it(`is ${origin} for ${value}`, () => {
      expect(readConfig({ ARCADE_PUBLIC_URL: value }).publicUrl).to.equal(origin);
    });
});

describe("the domains of sign-in", () => {
  for (const value of ["https://arcade.example", "*", "*.arcade.example", "arcade.example/play", "a@b.example", "a b"])
    it(`are rejected as ${value}`, () => {
      expect(getIssues(() => readConfig({ ARCADE_AUTH_DOMAINS: value }))).to.have.length(1);
    });

  it("are spelled as URLs spell them", () => {
    const { authDomains } = readConfig({ ARCADE_AUTH_DOMAINS: "Arcade.Example:443, LOCALHOST:3000" });
    expect(authDomains).to.deep.equal(["arcade.example", "localhost:3000"]);
  });
});

describe("the metrics' address", () => {
  for (const value of ["localhost", "arcade.example", "127.0.0.1:9090", "10.0.0.0/8"])
    it(`is rejected as ${value}`, () => {
      expect(getIssues(() => readConfig({ ARCADE_METRICS_HOST: value }))).to.have.length(1);
    });

  it("has a token that cannot be guessed, and that no message repeats", () => {
    const issues = getIssues(() => readConfig({ ARCADE_METRICS_TOKEN: "hunter2" }));
    expect(issues).to.have.length(1);
    expect(issues[0]).to.not.include("hunter2");
  });
});

describe("readSecrets", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "arcade-config-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("reads a key from the setting and from the file that it names", () => {
    const path = join(folder, "key");
    writeFileSync(path, `${KEY}\n`);
    expect(readSecrets({ ARCADE_OPERATOR_KEY: `@${path}`, ARCADE_NFT_SIGNER_KEY_FLAPPYBOTS: KEY })).to.deep.equal({
      identitySigner: null,
      scoreSigner: null,
      nftSigners: { shellrunners: null, flappybots: KEY },
      operator: KEY,
      signerToken: null,
    });
  });

  const SIGNER = "https://signer.example/v1/SECRETPATH";

  it("reads the place of a remote signer with its account, and the token from a file", () => {
    const path = join(folder, "token");
    writeFileSync(path, "a-token-of-the-signer\n");
    const { operator, signerToken } = readSecrets({
      ARCADE_OPERATOR_KEY: `${SIGNER}#0x${"ab".repeat(20)}`,
      ARCADE_SIGNER_TOKEN: `@${path}`,
    });
    expect(operator).to.deep.equal({ address: getAddress(`0x${"ab".repeat(20)}`), url: SIGNER, token: null });
    expect(signerToken).to.equal("a-token-of-the-signer");
  });

  it("refuses a remote signer without its account, and a short token, without repeating them", () => {
    const issues = getIssues(() => readSecrets({ ARCADE_OPERATOR_KEY: SIGNER, ARCADE_SIGNER_TOKEN: "SECRET" }));
    expect(issues[0]).to.include("ARCADE_OPERATOR_KEY: expected https://HOST/PATH#0xADDRESS");
    expect(issues[1]).to.include("ARCADE_SIGNER_TOKEN: expected at least 16 characters");
    expect(issues.join()).to.not.include("SECRET");
  });

  it("refuses a remote signer with a user or a password, and one without TLS on another machine", () => {
    const account = `#0x${"ab".repeat(20)}`;
    const getIssue = (url: string) => getIssues(() => readSecrets({ ARCADE_OPERATOR_KEY: `${url}${account}` })).join();
    for (const url of ["https://SECRET@signer.example/", "https://user:SECRET@signer.example/"]) {
      expect(getIssue(url)).to.include("expected the signer's address without a user or a password");
      expect(getIssue(url)).to.not.include("SECRET");
    }
    for (const url of ["http://signer.example/SECRET", "http://10.0.0.7:9000/", "http://localhost.example/"]) {
      expect(getIssue(url)).to.include("expected https:// for a signer on another machine");
      expect(getIssue(url)).to.not.include("SECRET");
    }
    for (const url of ["http://127.0.0.1:9000/", "http://[::1]:9000/", "http://localhost:9000/"])
      expect(readSecrets({ ARCADE_OPERATOR_KEY: `${url}${account}` }).operator).to.include({ url });
  });

  it("never repeats a key that it rejects", () => {
    const issues = getIssues(() =>
      readSecrets({
        ARCADE_OPERATOR_KEY: "0xsecret",
        ARCADE_SCORE_SIGNER_KEY: "@/absent/secret",
        ARCADE_IDENTITY_SIGNER_KEY: `0x${"0".repeat(64)}`,
      }),
    );
    expect(issues).to.have.length(3);
    expect(issues.join()).to.not.match(/secret|0{64}/);
  });
});

describe("readConfigAndSecrets", () => {
  it("reports the errors of settings and keys together", () => {
    const issues = getIssues(() => readConfigAndSecrets({ ARCADE_PORT: "many", ARCADE_OPERATOR_KEY: "0x12" }));
    expect(issues.map((issue) => issue.split(":")[0])).to.deep.equal(["ARCADE_PORT", "ARCADE_OPERATOR_KEY"]);
  });

  it("returns both where all values are right", () => {
    const { config, secrets } = readConfigAndSecrets({ ARCADE_PORT: "1", ARCADE_OPERATOR_KEY: KEY });
    expect([config.port, secrets.operator]).to.deep.equal([1, KEY]);
  });
});

describe("checkForChain", () => {
  const PUBLIC = { ARCADE_PUBLIC_URL: "https://arcade.example" };
  const toKey = (number: number): Hex => `0x${(0xbeef00 + number).toString(16).padStart(64, "0")}`;
  const NO_KEYS = {
    identitySigner: null,
    scoreSigner: null,
    operator: null,
    signerToken: null,
    nftSigners: { shellrunners: null, flappybots: null },
  };
  const KEYS = {
    identitySigner: toKey(1),
    scoreSigner: toKey(2),
    operator: toKey(3),
    signerToken: null,
    nftSigners: { shellrunners: toKey(4), flappybots: toKey(5) },
  };
  const check = (env: { readonly [name: string]: string }, secrets: Secrets, chainId: number) =>
    getIssues(() => checkForChain(readConfig(env), secrets, chainId));

  it("accepts missing keys on the local chain", () => {
    expect(check({}, NO_KEYS, 31337)).to.deep.equal([]);
  });

  it("accepts a public chain with an address and keys of its own", () => {
    expect(check(PUBLIC, KEYS, 84532)).to.deep.equal([]);
  });

  it("requires every key on a public chain", () => {
    expect(check(PUBLIC, NO_KEYS, 84532)).to.have.length(5);
  });

  it("requires the public address on a public chain", () => {
    const issues = check({}, KEYS, 84532);
    expect(issues).to.have.length(1);
    expect(issues[0]).to.match(/^ARCADE_PUBLIC_URL: expected the address/);
  });

  for (const index of [0, 33, 102, 133, 999])
    it(`rejects account ${index} of the development mnemonic on a public chain`, () => {
      const { privateKey, address } = developmentAccount(index);
      const issues = check(PUBLIC, { ...KEYS, operator: privateKey }, 84532);
      expect(issues).to.have.length(1);
      expect(issues[0]).to.match(/^ARCADE_OPERATOR_KEY.*development key/);
      expect(issues[0]).to.not.include(privateKey);
      expect(isWellKnownAddress(address)).to.equal(true);
      expect(isWellKnownAddress(privateKeyToAddress(toKey(1)))).to.equal(false);
    });

  it("knows the addresses of 1,024 accounts of the development mnemonic and of its other wallets", () => {
    const mnemonic = "test test test test test test test test test test test junk";
    const firstOfWallets = Array.from({ length: 9 }, (_, index) =>
      mnemonicToAccount(mnemonic, { accountIndex: index + 1 }),
    );
    const known = [0, 1, 511, 1023].map((index) => developmentAccount(index));
    for (const { address } of [...known, ...firstOfWallets])
      expect(isWellKnownAddress(address), address).to.equal(true);
    expect(isWellKnownAddress(developmentAccount(1024).address)).to.equal(false);
  });

  for (const chainId of [31337, 84532])
    it(`rejects an operator's key that signs as well on chain ${chainId}`, () => {
      const issues = check(PUBLIC, { ...KEYS, scoreSigner: KEYS.operator }, chainId);
      expect(issues).to.have.length(1);
      expect(issues[0]).to.match(/^ARCADE_OPERATOR_KEY: expected a key of its own.*ARCADE_SCORE_SIGNER_KEY/);
      expect(issues[0]).to.not.include(KEYS.operator);
    });

  it("rejects switched-off rate limits and open metrics on a public chain", () => {
    const issues = check({ ...PUBLIC, ARCADE_RATE_LIMITS: "off", ARCADE_METRICS_HOST: "*" }, KEYS, 84532);
    expect(issues.map((issue) => issue.split(":")[0])).to.deep.equal(["ARCADE_RATE_LIMITS", "ARCADE_METRICS_HOST"]);
  });
});

describe("the variables of the commands", () => {
  it("are no unknown settings", () => {
    expect(getIssues(() => readConfig({ ARCADE_DEBUG: "1", ARCADE_AGENT_KEY: "0x1" }))).to.deep.equal([]);
    expect(getIssues(() => readConfig({ ARCADE_DEBUGGING: "1" }))).to.have.length(1);
  });
});
