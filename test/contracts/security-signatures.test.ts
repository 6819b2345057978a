import { expect } from "chai";
import { Signature } from "ethers";
import { type Arcade, useArcade } from "./helpers/arcade.ts";
import { makeGameNftCall } from "./helpers/game-nft.ts";
import { makeIdentityMint, mintIdentities } from "./helpers/identity.ts";
import { signMessage } from "./helpers/sign.ts";
import { makeSnapshot, snapshotArgs } from "./helpers/snapshot.ts";

/** The order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const SELECTOR_BYTES = 4;
const WORD_BYTES = 32;

interface Call {
  readonly to: string;
  readonly data: (signature: string) => string;
  readonly signature: string;
  /** How many words in front of the signature are signed fields. */
  readonly words: number;
}

const CALLS: { readonly [name: string]: (arcade: Arcade) => Promise<Call> } = {
  mintIdentityWithSignature: async (arcade) => {
    const mint = await makeIdentityMint(arcade);
    return {
      to: arcade.addresses.identity,
      data: (signature) =>
        arcade.identity.interface.encodeFunctionData("mintIdentityWithSignature", [
          mint.to,
          mint.metadataDigest,
          mint.deadline,
          signature,
        ]),
      signature: await signMessage(arcade, arcade.keys.identity, "MintIdentity", { ...mint }),
      words: 3,
    };
  },
  mintSigned: async (arcade) => {
    await mintIdentities(arcade, 1);
    const call = await makeGameNftCall(arcade);
    return {
      to: arcade.addresses.nft,
      data: (signature) =>
        arcade.nft.interface.encodeFunctionData("mintSigned", [
          call.wallet,
          call.agentId,
          call.score,
          call.deadline,
          signature,
        ]),
      signature: await signMessage(arcade, arcade.keys.nft, "MintGameNft", { ...call }),
      words: 4,
    };
  },
  snapshotScoreSigned: async (arcade) => {
    const snapshot = await makeSnapshot(arcade);
    return {
      to: arcade.addresses.rewards,
      data: (signature) =>
        arcade.rewards.interface.encodeFunctionData("snapshotScoreSigned", snapshotArgs(snapshot, signature)),
      signature: await signMessage(arcade, arcade.keys.score, "Snapshot", { ...snapshot }),
      words: 5,
    };
  },
};

const flip = (hex: string, byte: number, bit: number): string => {
  const bytes = Buffer.from(hex.slice(2), "hex");
  bytes[byte]! ^= 1 << bit;
  return `0x${bytes.toString("hex")}`;
};

for (const [name, makeCall] of Object.entries(CALLS)) {
  describe(`${name}: every bit counts`, () => {
    const arcadeOf = useArcade();

    const isAccepted = async (arcade: Arcade, to: string, data: string): Promise<boolean> => {
      const request = { method: "eth_call", params: [{ from: arcade.player.address, to, data }, "latest"] };
      return arcade.connection.provider.request(request).then(
        () => true,
        () => false,
      );
    };

    it("accepts the call as it was signed", async () => {
      const arcade = arcadeOf();
      const call = await makeCall(arcade);
      expect(await isAccepted(arcade, call.to, call.data(call.signature))).to.equal(true);
    });

    it("refuses each of the 520 bits of the signature flipped", async () => {
      const arcade = arcadeOf();
      const call = await makeCall(arcade);
      const accepted: string[] = [];
      for (let byte = 0; byte < 65; byte += 1) {
        for (let bit = 0; bit < 8; bit += 1) {
          if (await isAccepted(arcade, call.to, call.data(flip(call.signature, byte, bit))))
            accepted.push(`${byte}.${bit}`);
        }
      }
      expect(accepted).to.deep.equal([]);
    });

    it("refuses each bit of each signed field flipped", async () => {
      const arcade = arcadeOf();
      const call = await makeCall(arcade);
      const data = call.data(call.signature);
      const accepted: string[] = [];
      for (let byte = SELECTOR_BYTES; byte < SELECTOR_BYTES + call.words * WORD_BYTES; byte += 1) {
        for (let bit = 0; bit < 8; bit += 1) {
          if (await isAccepted(arcade, call.to, flip(data, byte, bit))) accepted.push(`${byte}.${bit}`);
        }
      }
      expect(accepted).to.deep.equal([]);
    });

    it("refuses the other form of the same signature (high s), and the compact one", async () => {
      const arcade = arcadeOf();
      const call = await makeCall(arcade);
      const { r, s, v, compactSerialized } = Signature.from(call.signature);
      const highS = `0x${(ORDER - BigInt(s)).toString(16).padStart(64, "0")}`;
      const other = `${r}${highS.slice(2)}${v === 27 ? "1c" : "1b"}`;
      expect(await isAccepted(arcade, call.to, call.data(other))).to.equal(false);
      expect(await isAccepted(arcade, call.to, call.data(compactSerialized))).to.equal(false);
    });
  });
}
