import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { recoverTypedDataAddress, type TypedDataDefinition } from "viem";
import { createSigners } from "../../../backend/adapters/signer/signers.ts";
import { developmentAccount } from "../../../backend/config/dev-keys.ts";
import { readPrivateKey } from "../../../backend/config/private-keys.ts";
import { createTypedData } from "../../../domain/typed-data/messages.ts";

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const [identity, score, shells, flaps] = [0, 1, 2, 3].map(developmentAccount);
const keys = {
  identity: identity!.privateKey,
  score: score!.privateKey,
  nft: { shellrunners: shells!.privateKey, flappybots: flaps!.privateKey },
};
const context = {
  chainId: 31337,
  verifyingContract: "0x00000000000000000000000000000000000000AA",
  slug: "flappybots",
} as const;
const createSnapshotPayload = (score: bigint) =>
  createTypedData("MintGameNft", context, {
    wallet: identity!.address,
    agentId: "1",
    score: String(score),
    deadline: "99",
  });

describe("signers", () => {
  it("each signer signs with the key of its role", async () => {
    const signers = createSigners(keys);
    const roles = ["identity", "score", "nft:shellrunners", "nft:flappybots"] as const;
    for (const [index, role] of roles.entries()) {
      const signer = signers(role);
      expect(signer.address).to.equal(developmentAccount(index).address);
      const { signature } = await signer.sign(createSnapshotPayload(7n));
      const definition = createSnapshotPayload(7n) as unknown as TypedDataDefinition;
      expect(await recoverTypedDataAddress({ ...definition, signature })).to.equal(signer.address);
    }
  });

  it("a signer returns the same 65 bytes for the same message, always with a low s", async () => {
    const signer = createSigners(keys)("score");
    for (let value = 1n; value <= 30n; value++) {
      const { signature, digest } = await signer.sign(createSnapshotPayload(value));
      expect(signature).to.match(/^0x[0-9a-f]{128}(1b|1c)$/);
      expect(BigInt(`0x${signature.slice(66, 130)}`) <= HALF_ORDER).to.equal(true);
      expect(await signer.sign(createSnapshotPayload(value))).to.deep.equal({ signature, digest });
    }
  });

  it("two roles with the same key and a role without a key are rejected", () => {
    expect(() => createSigners({ ...keys, score: keys.identity })).to.throw("each role needs its own");
    expect(() => createSigners(keys)("nft:unknown")).to.throw("no signer for nft:unknown");
  });
});

describe("a private key", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-keys-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("a key is read from the setting or from the file that it names", async () => {
    const path = join(folder, "key");
    await writeFile(path, `${keys.score}\n`);
    expect(readPrivateKey("A", keys.score)).to.equal(keys.score);
    expect(readPrivateKey("A", `@${path}`)).to.equal(keys.score);
    // As wallets export them, and as they are copied.
    const digits = keys.score.slice(2);
    for (const form of [digits, digits.toUpperCase(), ` ${keys.score}\r\n`, `0X${digits}`])
      expect(readPrivateKey("A", form), form).to.equal(keys.score);
    expect(() => readPrivateKey("A", `${keys.score}0`)).to.throw("received 67 characters");
    expect(() => readPrivateKey("A", "test test junk")).to.throw("received 3 words (a seed phrase is not a key)");
  });

  it("the message of an error never contains the key", async () => {
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
        readPrivateKey("ARCADE_SCORE_SIGNER_KEY", value);
      } catch (error) {
        message = String(error);
      }
      expect(message).to.include("ARCADE_SCORE_SIGNER_KEY");
      expect(message).not.to.include(value.slice(0, 20).replace("@", ""));
    }
  });
});
