import { expect } from "chai";
import fc from "fast-check";
import { chachaBlock, nextBlock, seedRandom, toRange } from "../../games/random.ts";

const hex = (words: Uint32Array): string =>
  Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString("hex");

describe("the seeded generator", () => {
  it("is the block function of RFC 8439, section 2.3.2", () => {
    const { key } = seedRandom(Uint8Array.from({ length: 32 }, (_, i) => i));
    expect(hex(chachaBlock(key, 1, 0x09000000, 0x4a000000, 0))).to.equal(
      "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e" +
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
    );
  });

  it("depends on each of the 256 bits of the seed", () => {
    const seen = new Set([hex(nextBlock(seedRandom(new Uint8Array(32))))]);
    for (let bit = 0; bit < 256; bit += 1) {
      const seed = new Uint8Array(32);
      seed[bit >> 3] = 1 << (bit & 7);
      seen.add(hex(nextBlock(seedRandom(seed))));
    }
    expect(seen.size).to.equal(257);
  });

  it("continues from its JSON state", () => {
    const random = seedRandom(new Uint8Array(32).fill(9));
    nextBlock(random);
    const copy = JSON.parse(JSON.stringify(random));
    expect(hex(nextBlock(copy))).to.equal(hex(nextBlock(random)));
    expect(random.block).to.equal(2);
  });

  it("rejects a seed of another length", () => {
    for (const length of [0, 31, 33]) expect(() => seedRandom(new Uint8Array(length))).to.throw(RangeError, "32 bytes");
  });

  it("draws integers including both ends of a range", () => {
    expect([toRange(0, -3, 3), toRange(0xffffffff, -3, 3), toRange(5, 7, 7)]).to.deep.equal([-3, 3, 7]);
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.integer({ min: -999, max: 0 }), fc.nat(999), (word, min, max) => {
        const drawn = toRange(word, min, max);
        expect(Number.isInteger(drawn) && drawn >= min && drawn <= max).to.equal(true);
      }),
    );
  });
});
