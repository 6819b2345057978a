import { expect } from "chai";
import { TOKEN_PREFIXES } from "../../domain/auth.ts";
import { ArcadeError, ERRORS, type ErrorCode, quoteReceived } from "../../domain/errors.ts";

const codes = Object.keys(ERRORS) as ErrorCode[];

describe("the table of errors", () => {
  it("has every code in capitals, with a title without a period", () => {
    for (const code of codes) {
      expect(code).to.match(/^[A-Z]+(_[A-Z]+)*$/);
      expect(ERRORS[code].title, code).to.match(/^[A-Z].*[^.]$/);
    }
  });

  it("gives each code the status of an HTTP error (RFC 9110)", () => {
    for (const code of codes) expect(ERRORS[code].status, code).to.be.within(400, 503);
  });

  it("lets clients retry every temporary status, but not rejected requests", () => {
    for (const code of codes) {
      const { status, retryable } = ERRORS[code];
      // The limit lasts for the day, and the answer has the call that the wallet can pay for itself.
      if (code === "SPONSORSHIP_EXHAUSTED") continue;
      if (status === 429 || status >= 500) expect(retryable, code).to.equal(true);
      if (status === 400 || status === 401 || status === 403) expect(retryable, code).to.equal(false);
    }
  });
});

describe("an error", () => {
  it("takes its status and whether it is retryable from the table", () => {
    for (const code of codes) {
      const error = new ArcadeError(code, "Message.", { field: 1 });
      expect({ status: error.status, retryable: error.retryable }, code).to.deep.equal({
        status: ERRORS[code].status,
        retryable: ERRORS[code].retryable,
      });
      expect(error.fields).to.deep.equal({ field: 1 });
    }
  });
});

describe("request text in an error", () => {
  it("shows only the kind of a token", () => {
    for (const prefix of Object.values(TOKEN_PREFIXES))
      expect(quoteReceived(`Bearer ${prefix}s3cret-Value_1 x`)).to.equal(`"Bearer ${prefix}… x"`);
  });
});
