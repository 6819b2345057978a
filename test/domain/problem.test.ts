import { expect } from "chai";
import { problem as problemSchema } from "../../backend/http/schemas/envelope.ts";
import { ArcadeError, ERRORS, type ErrorCode } from "../../domain/errors.ts";
import { createProblem, formatRawProblem, parseRequestId } from "../../domain/problem.ts";

const CODES = Object.keys(ERRORS) as ErrorCode[];

describe("a problem document", () => {
  it("has the status of its code and the published form", () => {
    for (const code of CODES) {
      const { status, body } = createProblem(
        new ArcadeError(code, "Expected a, received b; do c.", { extra: 1 }),
        "request-1",
      );
      expect(status, code).to.equal(ERRORS[code].status);
      expect(problemSchema.parse(body), code).to.deep.equal(body);
      expect(body, code).to.deep.include({
        code,
        status,
        requestId: "request-1",
        type: `/docs/errors#${code}`,
        extra: 1,
      });
    }
  });

  it("carries Retry-After for every 429 and 503, and for nothing else", () => {
    for (const code of CODES) {
      const { headers } = createProblem(new ArcadeError(code, "x"), "request-1");
      const { status } = ERRORS[code];
      expect(headers["Retry-After"], code).to.equal(status === 429 || status === 503 ? "1" : undefined);
    }
    const limited = new ArcadeError("RATE_LIMITED", "x", { retryAfterSeconds: 7 });
    expect(createProblem(limited, "request-1").headers["Retry-After"]).to.equal("7");
  });

  it("is written to a bare socket with its length in bytes", () => {
    const raw = formatRawProblem(
      createProblem(new ArcadeError("RATE_LIMITED", "höher"), "request-1"),
      "Too Many Requests",
    );
    const [head = "", body = ""] = raw.split("\r\n\r\n");
    expect(head.split("\r\n")[0]).to.equal("HTTP/1.1 429 Too Many Requests");
    expect(head)
      .to.include("Retry-After: 1")
      .and.include(`Content-Length: ${Buffer.byteLength(body)}`);
    expect(JSON.parse(body)).to.include({ code: "RATE_LIMITED", error: "höher" });
  });

  it("takes the client's request id only in the allowed form", () => {
    expect(parseRequestId("request-0001")).to.equal("request-0001");
    for (const header of [undefined, "short", "with space 1", "x".repeat(65), ["request-0001"]])
      expect(parseRequestId(header)).to.equal(null);
  });
});
