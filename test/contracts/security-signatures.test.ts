import { expect } from "chai";
import { Signature } from "ethers";
import type { PrimaryType } from "../../domain/typed-data/messages.ts";
import { type Arcade, useArcade } from "./helpers/arcade.ts";
import { makeGameNftCall } from "./helpers/game-nft.ts";
import { makeIdentityMint, mintIdentities } from "./helpers/identity.ts";
import { signMessage } from "./helpers/sign.ts";
import { makeSnapshot } from "./helpers/snapshot.ts";

/** The order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const SELECTOR_BYTES = 4;
const WORD_BYTES = 32;

interface Call {
  readonly contract: "identity" | "nft" | "rewards";
  readonly key: "identity" | "nft" | "score";
  readonly type: PrimaryType;
  /** The message; its fields are the call's arguments in front of the signature, but for a nonce. */
  readonly make: (arcade: Arcade) => Promise<object>;
}

const CALLS: { readonly [name: string]: Call } = {
  mintIdentityWithSignature: { contract: "identity", key: "identity", type: "MintIdentity", make: makeIdentityMint },
  mintSigned: { contract: "nft", key: "nft", type: "MintGameNft", make: makeGameNftCall },
  snapshotScoreSigned: { contract: "rewards", key: "score", type: "Snapshot", make: makeSnapshot },
};

const flip = (hex: string, byte: number, bit: number): string => {
  const bytes = Buffer.from(hex.slice(2), "hex");
  bytes[byte]! ^= 1 << bit;
  return `0x${bytes.toString("hex")}`;
};

for (const [name, { contract, key, type, make }] of Object.entries(CALLS)) {
  describe(`${name}: every bit counts`, () => {
    const arcade = useArcade();
    let signature: string;
    let words: number;
    let encode: (signature: string) => string;
    beforeEach(async () => {
      await mintIdentities(arcade, 1);
      const message = await make(arcade);
      const { nonce: _, ...fields } = message as { nonce?: bigint };
      words = Object.keys(fields).length;
      signature = await signMessage(arcade, arcade.keys[key], type, { ...message });
      encode = (bytes) => arcade[contract].interface.encodeFunctionData(name, [...Object.values(fields), bytes]);
    });

    const isAccepted = async (data: string): Promise<boolean> => {
      const call = { from: arcade.player.address, to: arcade.addresses[contract], data };
      return arcade.connection.provider.request({ method: "eth_call", params: [call, "latest"] }).then(
        () => true,
        () => false,
      );
    };

    /** Bytes and bits of the data, from one byte to another, whose flipping leaves the call accepted. */
    const findAcceptedFlips = async (bytes: string, from: number, to: number, toData: (flipped: string) => string) => {
      const accepted: string[] = [];
      for (let byte = from; byte < to; byte += 1)
        for (let bit = 0; bit < 8; bit += 1)
          if (await isAccepted(toData(flip(bytes, byte, bit)))) accepted.push(`${byte}.${bit}`);
      return accepted;
    };

    it("accepts the call as it was signed", async () => {
      expect(await isAccepted(encode(signature))).to.equal(true);
    });

    it("refuses each of the 520 bits of the signature flipped", async () => {
      expect(await findAcceptedFlips(signature, 0, 65, encode)).to.deep.equal([]);
    });

    it("refuses each bit of each signed field flipped", async () => {
      const end = SELECTOR_BYTES + words * WORD_BYTES;
      expect(await findAcceptedFlips(encode(signature), SELECTOR_BYTES, end, (data) => data)).to.deep.equal([]);
    });

    it("refuses the other form of the same signature (high s), and the compact one", async () => {
      const { r, s, v, compactSerialized } = Signature.from(signature);
      const highS = `0x${(ORDER - BigInt(s)).toString(16).padStart(64, "0")}`;
      const other = `${r}${highS.slice(2)}${v === 27 ? "1c" : "1b"}`;
      for (const bytes of [other, compactSerialized]) expect(await isAccepted(encode(bytes))).to.equal(false);
    });
  });
}
