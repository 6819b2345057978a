import { expect } from "chai";
import { readConfig } from "../../backend/config/config.ts";
import { getIssues } from "./get-issues.ts";

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
      trustProxy: 0,
      spectatorsMax: 50,
      sessionsMax: 500,
      rateLimits: null,
      feeCapGwei: 1000,
    });
    expect(config.databaseUrl).to.match(/^sqlite:.*arcade\.db$/);
    expect(config.tickHz).to.deep.equal({ shellrunners: 20, flappybots: 20 });
    expect(Object.isFrozen(config)).to.equal(true);
  });

  it("treats an empty variable as absent", () => {
    const blanks = {
      ARCADE_PORT: "",
      ARCADE_PUBLIC_URL: "",
      ARCADE_TRUST_PROXY: "",
      ARCADE_RATE_LIMITS: "",
      ARCADE_ROLES: "",
    };
    expect(readConfig(blanks)).to.deep.equal(readConfig({}));
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
      trustProxy: 1,
      rateLimits: "off",
    });
    expect(config.authDomains).to.deep.equal(["arcade.example", "localhost:4100"]);
    expect(config.tickHz).to.deep.equal({ shellrunners: 20, flappybots: 30 });
  });

  it("keeps a slash at the end of a node's path, without which some proxies redirect", () => {
    const { rpcUrl, publicRpcUrl } = readConfig({
      ARCADE_RPC_URL: "https://rpc.example/base/",
      ARCADE_PUBLIC_RPC_URL: "https://rpc.example/public/",
    });
    expect([rpcUrl, publicRpcUrl]).to.deep.equal(["https://rpc.example/base/", "https://rpc.example/public/"]);
    const twice = getIssues(() => readConfig({ ARCADE_RPC_URL: "https://rpc.example/base,https://rpc.example/base/" }));
    expect(twice.join()).to.include("expected each address once");
  });

  it("rejects a file of SQLite in the form of other programs, which would be created elsewhere", () => {
    for (const url of ["sqlite://arcade.db", "sqlite://./arcade.db", "sqlite:arcade.db?mode=ro"])
      expect(getIssues(() => readConfig({ ARCADE_DATABASE_URL: url })).join(), url).to.include("expected sqlite:FILE");
    for (const url of [
      "sqlite:arcade.db",
      "sqlite:./data/arcade.db",
      "sqlite:/data/arcade.db",
      "sqlite:///data/arcade.db",
    ])
      expect(readConfig({ ARCADE_DATABASE_URL: url }).databaseUrl).to.equal(url);
  });

  it("rejects a path that only a shell would complete", () => {
    for (const name of ["ARCADE_DATA_DIR", "ARCADE_DEPLOYMENT"]) {
      for (const value of ["~", "~/arcade"])
        expect(getIssues(() => readConfig({ [name]: value }))[0]).to.include(
          `${name}: expected a path without ~: write it in full, received "${value}"`,
        );
      expect(() => readConfig({ [name]: "~arcade/~" })).not.to.throw();
    }
  });

  it("accepts divided roles with PostgreSQL and NATS, in any order", () => {
    const shared = { ARCADE_DATABASE_URL: "postgres://host/arcade", ARCADE_NATS_URL: "nats://host" };
    expect(readConfig({}).roles).to.deep.equal(["api", "live", "edge", "chain"]);
    expect(readConfig({ ARCADE_ROLES: "chain, edge,live,api" }).roles).to.deep.equal(["api", "live", "edge", "chain"]);
    expect(readConfig({ ...shared, ARCADE_ROLES: "edge,api" }).roles).to.deep.equal(["api", "edge"]);
  });

  it("rejects unknown roles, and divided roles without PostgreSQL and NATS", () => {
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
        ARCADE_DEPLOYER_KEY: "0x1",
      }),
    );
    expect(issues).to.deep.equal([
      'ARCADE_PORT: expected an integer from 0 to 65535, received "many"; correct it, or leave it out for 4100',
      'ARCADE_PUBLIC_URL: expected http:// or https:// with a host and perhaps a port, and nothing after it, received "nowhere"; correct it, or leave it out',
      'ARCADE_TRUST_PROXY: expected true, false, the number of proxies (0 to 9), or their networks, like 10.0.0.0/8,fd00::/8, received "yes"; correct it, or leave it out for false',
      'ARCADE_TICK_HZ_FLAPPYBOTS: expected one of 10, 12, 15, 20, 30, 60, received "25"; correct it, or leave it out',
      'ARCADE_RATE_LIMITS: expected on or off, received "maybe"; correct it, or leave it out',
      "ARCADE_PROT: unknown setting; docs/config.md lists them all",
      "ARCADE_DEPLOYER_KEY: this key belongs to npm run deploy and npm run admin, and the service must not have it; unset it",
    ]);
  });

  for (const port of ["-1", "65536", "1.5", "0x10"]) {
    it(`rejects the port "${port}"`, () => {
      expect(getIssues(() => readConfig({ ARCADE_PORT: port }))).to.have.length(1);
    });
  }

  it("never repeats a URL that may contain a password or an access key", () => {
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

  it("are normalized like URLs", () => {
    const { authDomains } = readConfig({ ARCADE_AUTH_DOMAINS: "Arcade.Example:443, LOCALHOST:3000" });
    expect(authDomains).to.deep.equal(["arcade.example", "localhost:3000"]);
  });
});

describe("the metrics' address", () => {
  for (const value of ["localhost", "arcade.example", "127.0.0.1:9090", "10.0.0.0/8"])
    it(`is rejected as ${value}`, () => {
      expect(getIssues(() => readConfig({ ARCADE_METRICS_HOST: value }))).to.have.length(1);
    });

  it("has an unguessable token, which no message repeats", () => {
    const issues = getIssues(() => readConfig({ ARCADE_METRICS_TOKEN: "hunter2" }));
    expect(issues).to.have.length(1);
    expect(issues[0]).to.not.include("hunter2");
  });
});

describe("the variables of the commands", () => {
  it("are not reported as unknown settings", () => {
    expect(getIssues(() => readConfig({ ARCADE_DEBUG: "1", ARCADE_AGENT_KEY: "0x1" }))).to.deep.equal([]);
    expect(getIssues(() => readConfig({ ARCADE_DEBUGGING: "1" }))).to.have.length(1);
  });
});
