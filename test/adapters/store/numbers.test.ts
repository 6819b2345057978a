import { expect } from "chai";
import fc from "fast-check";
import {
  packSequence,
  packUint,
  UINT256_DIGITS,
  unpackOrNull,
  unpackUint,
} from "../../../backend/adapters/store/numbers.ts";

const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

describe("packed numbers", () => {
  it("are read as they were written", () => {
    fc.assert(fc.property(uint256, (value) => unpackUint(packUint(value)) === value));
    expect(unpackOrNull(null)).to.equal(null);
  });

  it("sort as text like the numbers they are", () => {
    fc.assert(
      fc.property(uint256, uint256, (a, b) => {
        expect([packUint(a), packUint(b)].sort()[0]).to.equal(packUint(a < b ? a : b));
      }),
    );
  });

  it("have one width", () => {
    expect(packUint(2n ** 256n - 1n)).to.have.length(UINT256_DIGITS);
    expect(packUint(0n)).to.have.length(UINT256_DIGITS);
    expect(packSequence(2n ** 64n - 1n)).to.have.length(20);
  });

  it("reject a number that does not fit", () => {
    expect(() => packUint(-1n)).to.throw(RangeError);
    expect(() => packUint(10n ** 78n)).to.throw(RangeError);
    expect(() => packSequence(10n ** 20n)).to.throw(RangeError);
  });
});
