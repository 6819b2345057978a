import { expect } from "chai";
import type { Hex } from "viem";
import { mnemonicToAccount, privateKeyToAddress } from "viem/accounts";
import { checkForChain, readConfig, type Secrets } from "../../backend/config/config.ts";
import { developmentAccount, isWellKnownAddress } from "../../backend/config/dev-keys.ts";
import { getIssues } from "./get-issues.ts";

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
