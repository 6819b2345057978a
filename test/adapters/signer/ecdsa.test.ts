import { inspect } from "node:util";
import { expect } from "chai";
import fc from "fast-check";
import { hexToBytes, serializeSignature, toHex } from "viem";
import { privateKeyToAccount, sign as viemSign } from "viem/accounts";
import { loadNative, loadWasm } from "../../../backend/adapters/signer/ecdsa.ts";
import { createSigningKey, recoverAddress } from "../../../backend/adapters/signer/secp256k1.ts";
import { bytes32 } from "./typed-data-arbitrary.ts";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const toWord = (number: bigint): `0x${string}` => toHex(number, { size: 32 });
const privateKey = fc.bigInt({ min: 1n, max: ORDER - 1n }).map(toWord);
const toBytes = (...numbers: bigint[]): Uint8Array =>
  Buffer.concat(numbers.map((number) => hexToBytes(toWord(number))));

const native = loadNative();
const builds = [["WebAssembly", await loadWasm()] as const, ...(native === null ? [] : [["native", native] as const])];

for (const [name, build] of builds) {
  describe(`secp256k1 (${name})`, () => {
    it("signs with the bytes of viem: low s, v of 27 or 28, the same address", async () => {
      await fc.assert(
        fc.asyncProperty(privateKey, bytes32, async (secret, digest) => {
          const key = createSigningKey(secret, build);
          const signature = key.signDigest(hexToBytes(digest));
          expect(signature).to.equal(serializeSignature(await viemSign({ hash: digest, privateKey: secret })));
          expect(signature).to.match(/^0x[0-9a-f]{128}(1b|1c)$/);
          expect(BigInt(`0x${signature.slice(66, 130)}`) <= ORDER / 2n).to.equal(true);
          expect(key.address).to.equal(privateKeyToAccount(secret).address);
          const bytes = hexToBytes(signature);
          const recoveryId = (bytes[64]! - 27) as 0 | 1;
          expect(recoverAddress(hexToBytes(digest), bytes.subarray(0, 64), recoveryId, build)).to.equal(key.address);
        }),
        { numRuns: 200 },
      );
    });

    it("signs with the smallest and largest keys and digests as viem does", async () => {
      for (const secret of [1n, 2n, ORDER - 2n, ORDER - 1n].map(toWord)) {
        // From the order on (one digest in 2^128) the nonces of viem and of the C library differ.
        for (const digest of [0n, 1n, ORDER - 1n].map(toWord)) {
          const expected = serializeSignature(await viemSign({ hash: digest, privateKey: secret }));
          expect(createSigningKey(secret, build).signDigest(hexToBytes(digest))).to.equal(expected);
        }
      }
    });

    it("recovers no address from a signature with a high s", () => {
      const digest = toBytes(7n);
      const bytes = hexToBytes(createSigningKey(toWord(5n), build).signDigest(digest));
      const s = BigInt(toHex(bytes.subarray(32, 64)));
      const high = Buffer.concat([bytes.subarray(0, 32), toBytes(ORDER - s)]);
      for (const id of [0, 1] as const) expect(recoverAddress(digest, high, id, build)).to.equal(null);
    });

    it("accepts only digests of 32 bytes and signatures of 64 bytes", () => {
      const key = createSigningKey(toWord(5n), build);
      const digest = toBytes(7n);
      const compact = hexToBytes(key.signDigest(digest)).subarray(0, 64);
      for (const length of [0, 5, 31, 33]) {
        expect(() => key.signDigest(new Uint8Array(length))).to.throw("32 bytes");
        expect(recoverAddress(new Uint8Array(length), compact, 0, build)).to.equal(null);
      }
      for (const length of [0, 63, 65]) expect(recoverAddress(digest, new Uint8Array(length), 0, build)).to.equal(null);
    });

    it("recovers no address from numbers outside the group or without a curve point", () => {
      const digest = toBytes(7n);
      for (const compact of [
        toBytes(0n, 1n),
        toBytes(1n, 0n),
        toBytes(0n, 0n),
        toBytes(ORDER, 1n),
        toBytes(2n ** 256n - 1n, 1n),
        // No point of the curve has this x.
        toBytes(5n, 1n),
      ]) {
        for (const id of [0, 1] as const) expect(recoverAddress(digest, compact, id, build)).to.equal(null);
      }
    });

    it("rejects a key outside the group, and never prints a key", () => {
      for (const secret of [0n, ORDER, 2n ** 256n - 1n].map(toWord)) {
        expect(() => createSigningKey(secret, build))
          .to.throw(Error, "not a private key")
          .that.satisfies((error: Error) => !inspect(error).includes(secret.slice(2, 20)));
      }
      const secret = toWord(0x1234567890abcdef1234567890abcdefn << 100n);
      const key = createSigningKey(secret, build);
      const outputs = [inspect(key, { depth: 9, showHidden: true }), JSON.stringify(key)];
      try {
        key.signDigest(new Uint8Array(5));
      } catch (error) {
        outputs.push(inspect(error, { depth: 9, showHidden: true }));
      }
      expect(outputs).to.have.length(3);
      for (const text of outputs) expect(text).not.to.include(secret.slice(8, 24));
    });
  });
}

describe("secp256k1", () => {
  it("has a native build when the platform's addon is in the package", () => {
    const prebuilt = process.platform === "linux" && process.arch === "x64";
    if (prebuilt) expect(native?.build).to.equal("native");
  });
});
