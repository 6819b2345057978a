import { expect } from "chai";
import { TOKEN_PREFIXES } from "../../domain/auth.ts";
import { ArcadeError, ERRORS, type ErrorCode, quoteReceived } from "../../domain/errors.ts";

const codes = Object.keys(ERRORS) as ErrorCode[];

describe("the table of errors", () => {
  it("names every code in capitals and gives it a title without a period", () => {
    for (const code of codes) {
      expect(code).to.match(/^[A-Z]+(_[A-Z]+)*$/);
      expect(ERRORS[code].title, code).to.match(/^[A-Z].*[^.]$/);
    }
  });

  it("gives each code the status of an HTTP error (RFC 9110)", () => {
    for (const code of codes) expect(ERRORS[code].status, code).to.be.within(400, 503);
  });

  it("lets clients retry every temporary status, and no rejection of what was sent", () => {
    for (const code of codes) {
      const { status, retryable } = ERRORS[code];
      // Its bound lasts for the day, and the answer has the call that the wallet can pay itself.
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

describe("text of a request in an error", () => {
  it("shows the kind of a token of each kind, and nothing else of it", () => {
    for (const prefix of Object.values(TOKEN_PREFIXES))
      expect(quoteReceived(`Bearer ${prefix}s3cret-Value_1 x`)).to.equal(`"Bearer ${prefix}… x"`);
  });
});
