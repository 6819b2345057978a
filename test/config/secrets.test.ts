import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { getAddress } from "viem";
import { readConfig, readConfigAndSecrets, readSecrets } from "../../backend/config/config.ts";
import { listOpenSecretFiles } from "../../backend/config/secret-files.ts";
import { getIssues } from "./get-issues.ts";

const KEY = `0x${"11".repeat(32)}` as const;

describe("readSecrets", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "arcade-config-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("reads a key from the setting and from its file", () => {
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

  it("tells how to save a file again that Windows PowerShell wrote in UTF-16", () => {
    const path = join(folder, "key");
    writeFileSync(path, `\ufeff${KEY}\r\n`, "utf16le");
    const expected = "the file after @ is in UTF-16; save it as UTF-8 (in PowerShell: Set-Content -Encoding ascii)";
    expect(getIssues(() => readSecrets({ ARCADE_OPERATOR_KEY: `@${path}` })).join()).to.include(expected);
    expect(getIssues(() => readSecrets({ ARCADE_SIGNER_TOKEN: `@${path}` })).join()).to.include(expected);
  });

  const SIGNER = "https://signer.example/v1/SECRETPATH";

  it("reads a remote signer's URL with its account, and the token from a file", () => {
    const path = join(folder, "token");
    writeFileSync(path, "a-token-of-the-signer\n");
    const { operator, signerToken } = readSecrets({
      ARCADE_OPERATOR_KEY: `${SIGNER}#0x${"ab".repeat(20)}`,
      ARCADE_SIGNER_TOKEN: `@${path}`,
    });
    expect(operator).to.deep.equal({ address: getAddress(`0x${"ab".repeat(20)}`), url: SIGNER, token: null });
    expect(signerToken).to.equal("a-token-of-the-signer");
  });

  it("rejects a remote signer without its account, and a short token, without repeating them", () => {
    const issues = getIssues(() => readSecrets({ ARCADE_OPERATOR_KEY: SIGNER, ARCADE_SIGNER_TOKEN: "SECRET" }));
    expect(issues[0]).to.include("ARCADE_OPERATOR_KEY: expected https://HOST/PATH#0xADDRESS");
    expect(issues[1]).to.include("ARCADE_SIGNER_TOKEN: expected at least 16 characters");
    expect(issues.join()).to.not.include("SECRET");
  });

  it("rejects a remote signer with a user or a password, and one without TLS on another machine", () => {
    const account = `#0x${"ab".repeat(20)}`;
    const getIssue = (url: string) => getIssues(() => readSecrets({ ARCADE_OPERATOR_KEY: `${url}${account}` })).join();
    for (const url of ["https://SECRET@signer.example/", "https://user:SECRET@signer.example/"]) {
      expect(getIssue(url)).to.include("expected the signer's address without a user or a password");
      expect(getIssue(url)).to.not.include("SECRET");
    }
    const elsewhere = ["signer.example/SECRET", "10.0.0.7:9000/", "localhost.example/", "host.docker.internal:9000/"];
    for (const url of elsewhere.map((place) => `http://${place}`)) {
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

  it("returns both if all values are valid", () => {
    const { config, secrets } = readConfigAndSecrets({ ARCADE_PORT: "1", ARCADE_OPERATOR_KEY: KEY });
    expect([config.port, secrets.operator]).to.deep.equal([1, KEY]);
  });
});

describe("a setting with a secret", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "arcade-config-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const TEXTS = {
    ARCADE_ADMIN_TOKEN: "a-token-of-the-console",
    ARCADE_METRICS_TOKEN: "a-token-of-prometheus",
    ARCADE_DATABASE_URL: "postgres://arcade:SECRET@db.example/arcade",
    ARCADE_NATS_URL: "nats://arcade:SECRET@nats.example:4222",
    ARCADE_RPC_URL: "https://node.example/SECRET,https://other.example/SECRET",
  };

  it("may be read from a file", () => {
    const files = Object.entries(TEXTS).map(([name, text]) => {
      writeFileSync(join(folder, name), `${text}\n`);
      return [name, `@${join(folder, name)}`];
    });
    expect(readConfig(Object.fromEntries(files))).to.deep.equal(readConfig(TEXTS));
  });

  it("is rejected if its file cannot be read", () => {
    const absent = Object.fromEntries(Object.keys(TEXTS).map((name) => [name, "@/absent/file-with-a-secret"]));
    const issues = getIssues(() => readConfig(absent));
    expect(issues.map((issue) => issue.split(",")[0])).to.have.members(
      Object.keys(TEXTS).map((name) => `${name}: the file after @ does not exist`),
    );
  });
});

describe("listOpenSecretFiles", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "arcade-config-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(name: string, mode: number): string {
    const path = join(folder, name);
    writeFileSync(path, `${KEY}\n`);
    chmodSync(path, mode);
    return path;
  }

  it("lists the files of keys, passphrases and tokens that every user can read or change", () => {
    const files = listOpenSecretFiles({
      ARCADE_OPERATOR_KEY: `@${write("operator", 0o644)}`,
      ARCADE_SCORE_SIGNER_KEY: `@${write("score", 0o640)}`,
      ARCADE_IDENTITY_SIGNER_KEY: `keystore:${write("identity.json", 0o600)},${write("passphrase", 0o604)}`,
      ARCADE_SIGNER_TOKEN: `@${write("token", 0o602)}`,
      ARCADE_NFT_SIGNER_KEY_FLAPPYBOTS: KEY,
    });
    expect(files.map(({ variable, mode }) => `${variable} ${mode}`)).to.have.members([
      "ARCADE_OPERATOR_KEY 644",
      "ARCADE_IDENTITY_SIGNER_KEY 604",
      "ARCADE_SIGNER_TOKEN 602",
    ]);
  });

  it("lists them also with the quotes and line ends of settings files", () => {
    const path = write("operator", 0o644);
    for (const value of [`"@${path}"`, `@${path}\r`, ` @${path} `])
      expect(listOpenSecretFiles({ ARCADE_OPERATOR_KEY: value })).to.have.length(1);
  });
});
