import { expect } from "chai";
import { type Hex, keccak256, numberToHex, pad, sha256, stringToHex, toHex } from "viem";
import { generatePrivateKey, mnemonicToAccount, privateKeyToAddress } from "viem/accounts";
import { getChainWaitMs } from "../../backend/app/open-parts.ts";
import { checkForChain, readConfig, type Secrets } from "../../backend/config/config.ts";
import {
  developmentAccount,
  isGuessableKey,
  isWellKnownAddress,
  isWellKnownKey,
} from "../../backend/config/dev-keys.ts";
import { CURVE_ORDER } from "../../domain/keys.ts";
import { getIssues } from "./get-issues.ts";

describe("checkForChain", () => {
  const PUBLIC = { ARCADE_PUBLIC_URL: "https://arcade.example" };
  const toKey = (number: number): Hex => keccak256(toHex(`a key of this test ${number}`));
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

  describe("a key that can be guessed", () => {
    /** Distinct, unordered bytes. */
    const SIXTEEN: Hex = "0x9f3c51e8a7042bd61c7de95a83f04eb2";
    const BACKWARD = "b24ef0835ae97d1cd62b04a7e8513c9f";
    const repeat = (part: string): Hex => `0x${part.repeat(64 / part.length)}`;
    const count = (from: number, step: number): Hex =>
      toHex(Uint8Array.from({ length: 32 }, (_, index) => from + index * step));
    const keys: { readonly [name: string]: Hex } = {
      one: numberToHex(1, { size: 32 }),
      "a short number": numberToHex(0xdeadbeef, { size: 32 }),
      "a number of 128 bits": pad(SIXTEEN, { size: 32 }),
      "the largest key": numberToHex(CURVE_ORDER - 1n, { size: 32 }),
      "digits with zeros after them": pad(SIXTEEN, { dir: "right", size: 32 }),
      "repeated bytes": repeat("11"),
      "fifteen bytes in any order": `${SIXTEEN}${BACKWARD.replace("9f", "3c")}`.replace("9f", "3c") as Hex,
      "a repeated word": repeat("deadbeef"),
      "repeated digits": repeat("0123456789abcdef"),
      "bytes that count up": count(0, 1),
      "bytes that count down": count(255, -1),
      "readable text": stringToHex("the quick brown fox jumps over 1"),
      "keccak of a word": keccak256(stringToHex("cow")),
      "keccak of a name": keccak256(stringToHex("Alice")),
      "keccak of a word in capitals": keccak256(stringToHex("COW")),
      "sha256 of a number": sha256(stringToHex("123456")),
      "keccak of a word of the EVM": keccak256(numberToHex(1, { size: 32 })),
    };
    for (const [name, operator] of Object.entries(keys))
      it(`is rejected on a public chain: ${name}`, () => {
        const issues = check(PUBLIC, { ...KEYS, operator }, 84532);
        expect(issues).to.have.length(1);
        expect(issues[0])
          .to.match(/^ARCADE_OPERATOR_KEY: expected a random key/)
          .and.not.include(operator.slice(2));
        expect(isWellKnownKey(operator)).to.equal(true);
        expect(check({}, { ...KEYS, operator }, 31337)).to.deep.equal([]);
      });

    it("is not random", () => {
      for (let count = 0; count < 2000; count += 1) expect(isGuessableKey(generatePrivateKey())).to.equal(false);
      expect(isGuessableKey(`${SIXTEEN}${BACKWARD}`)).to.equal(false);
      expect(
        isGuessableKey(numberToHex((0x1234567890abcdefn << 192n) | 0xfedcba9876543210aabbccddee112233n, { size: 32 })),
      ).to.equal(false);
    });
  });

  it("rejects addresses with other schemes for every setting that has one", () => {
    for (const name of ["ARCADE_RPC_URL", "ARCADE_PUBLIC_RPC_URL", "ARCADE_PUBLIC_URL"])
      for (const value of [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "ftp://a.example",
        "javascript:1",
        "data:1",
        "wss://a.example",
        "a.example",
      ])
        expect(
          getIssues(() => readConfig({ [name]: value })),
          `${name} ${value}`,
        ).to.have.length(1);
    for (const value of ["http://a.example", "https://a.example/k"])
      expect(
        getIssues(() => readConfig({ ARCADE_RPC_URL: value })),
        value,
      ).to.deep.equal([]);
    expect(getIssues(() => readConfig({ ARCADE_RPC_URL: "http://a.example,file:///etc/passwd" }))).to.have.length(1);
  });

  it("waits longer for the local chain's node by default, and as long as the setting on any chain", () => {
    for (const [env, chainId, waitMs] of [
      [{}, 31_337, 10_000],
      [{}, 84_532, 1_000],
      [{ ARCADE_CHAIN_WAIT_MS: "500" }, 31_337, 500],
    ] as const)
      expect(getChainWaitMs(readConfig(env), chainId)).to.equal(waitMs);
  });

  it("accepts missing keys on the local chain", () => {
    expect(check({}, NO_KEYS, 31337)).to.deep.equal([]);
  });

  it("accepts a public chain with an address and dedicated keys", () => {
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
    it(`rejects an operator's key that is also a signer on chain ${chainId}`, () => {
      const issues = check(PUBLIC, { ...KEYS, scoreSigner: KEYS.operator }, chainId);
      expect(issues).to.have.length(1);
      expect(issues[0]).to.match(/^ARCADE_OPERATOR_KEY: expected a separate key.*ARCADE_SCORE_SIGNER_KEY/);
      expect(issues[0]).to.not.include(KEYS.operator);
    });

  it("rejects switched-off rate limits and open metrics on a public chain", () => {
    const issues = check({ ...PUBLIC, ARCADE_RATE_LIMITS: "off", ARCADE_METRICS_HOST: "*" }, KEYS, 84532);
    expect(issues.map((issue) => issue.split(":")[0])).to.deep.equal(["ARCADE_RATE_LIMITS", "ARCADE_METRICS_HOST"]);
  });
});
