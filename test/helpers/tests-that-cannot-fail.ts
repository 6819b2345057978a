/** Run by `can-fail.test.ts`. */
import { expect } from "chai";

const empty: readonly number[] = [];

describe("silent tests", () => {
  it("of an empty list", () => {
    for (const one of empty) expect(one).to.equal(1);
  });

  it("beside one of a list", () => {
    expect([1]).to.have.length(1);
  });
});

const VALUES: { readonly [name: string]: unknown } = {
  ...{ "no elements": [], "no fields": {}, "no text": "", "no entries": new Map(), zero: 0, "zero wei": 0n },
  ...{ no: false, null: null, undefined: undefined },
  ...{ "an element": [0], "a field": { a: 0 }, "a text": "0", "an entry": new Map([[0, 0]]), one: 1, "one wei": 1n },
  ...{ yes: true, "a function": () => 0, "a date": new Date(0) },
};
for (const [name, value] of Object.entries(VALUES))
  describe(name, () => {
    it("is not two", () => {
      expect(value).to.not.equal(2);
    });
  });

describe("nothing", () => {
  it("beside something", () => {
    expect(empty).to.have.length(0);
  });

  it("and something", () => {
    expect([...empty, 1]).to.have.length(1);
  });
});
