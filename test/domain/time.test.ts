import { expect } from "chai";
import { toIso, toIsoOrNull } from "../../domain/time.ts";

describe("toIso", () => {
  it("formats every time of a chain, with the last moment of the year 9999 for later ones", () => {
    const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
    expect(toIso(0)).to.equal("1970-01-01T00:00:00.000Z");
    for (const ms of [lastMs, lastMs + 1, 9_999_999_999_999_000, Number.MAX_SAFE_INTEGER, 2 ** 64 * 1000])
      expect(toIso(ms), String(ms)).to.equal("9999-12-31T23:59:59.999Z");
    expect(toIso(lastMs - 1)).to.equal("9999-12-31T23:59:59.998Z");
    expect(toIsoOrNull(null)).to.equal(null);
  });
});
