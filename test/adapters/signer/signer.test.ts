import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { recoverTypedDataAddress, type TypedDataDefinition } from "viem";
import { createSigners, parsePrivateKey } from "../../../backend/adapters/signer/index.ts";
import { developmentAccount } from "../../../backend/config/dev-keys.ts";
import { makeTypedData } from "../../../backend/domain/typed-data.ts";

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const [identity, score, shells, flaps] = [0, 1, 2, 3].map(developmentAccount);
const keys = {
  identity: identity!.privateKey,
  score: score!.privateKey,
  nft: { shellrunners: shells!.privateKey, flappybots: flaps!.privateKey },
};
const place = {
  chainId: 31337,
  verifyingContract: "0x00000000000000000000000000000000000000AA",
  slug: "flappybots",
} as const;
const payload = (score: bigint) =>
  makeTypedData("MintGameNft", place, {
    wallet: identity!.address,
    agentId: "1",
    score: String(score),
    deadline: "99",
  });

describe("signers", () => {
  it("sign with the key of their duty, in a form that recovers to it", async () => {
    const signers = createSigners(keys);
    const duties = ["identity", "score", "nft:shellrunners", "nft:flappybots"] as const;
    for (const [index, duty] of duties.entries()) {
      const signer = signers(duty);
      expect(signer.address).to.equal(developmentAccount(index).address);
      const { signature } = await signer.sign(payload(7n));
      const definition = payload(7n) as unknown as TypedDataDefinition;
      expect(await recoverTypedDataAddress({ ...definition, signature })).to.equal(signer.address);
    }
  });

  it("give the same 65 bytes for the same message, always with a low s", async () => {
    const signer = createSigners(keys)("score");
    for (let value = 1n; value <= 30n; value++) {
      const { signature, digest } = await signer.sign(payload(value));
      expect(signature).to.match(/^0x[0-9a-f]{128}(1b|1c)$/);
      expect(BigInt(`0x${signature.slice(66, 130)}`) <= HALF_ORDER).to.equal(true);
      expect(await signer.sign(payload(value))).to.deep.equal({ signature, digest });
    }
  });

  it("refuse two duties with one key, and a duty without a key", () => {
    expect(() => createSigners({ ...keys, score: keys.identity })).to.throw("each duty needs its own");
    expect(() => createSigners(keys)("nft:unknown")).to.throw("no signer for nft:unknown");
  });
});

describe("a private key", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-keys-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("is read from the setting or from the file it names", async () => {
    const path = join(folder, "key");
    await writeFile(path, `${keys.score}\n`);
    expect(parsePrivateKey("A", keys.score)).to.equal(keys.score);
    expect(parsePrivateKey("A", `@${path}`)).to.equal(keys.score);
  });

  it("is never repeated in a refusal", async () => {
    const bad = [
      `${keys.score}0`,
      "hunter2",
      `@${join(folder, "absent")}`,
      `0x${"0".repeat(64)}`,
      `0x${"f".repeat(64)}`,
    ];
    for (const value of bad) {
      let message = "";
      try {
        parsePrivateKey("ARCADE_SCORE_SIGNER_KEY", value);
      } catch (error) {
        message = String(error);
      }
      expect(message).to.include("ARCADE_SCORE_SIGNER_KEY");
      expect(message).not.to.include(value.slice(0, 20).replace("@", ""));
    }
  });
});
