import { expect } from "chai";
import { ERRORS } from "../../domain/errors.ts";
import type { ApiResponse } from "./suite.ts";

/** Expects a problem document (RFC 9457) with this error code. */
export function expectProblem(response: ApiResponse, code: keyof typeof ERRORS): void {
  expect(response.body, JSON.stringify(response.body)).to.include({
    ok: false,
    code,
    status: ERRORS[code].status,
    retryable: ERRORS[code].retryable,
    type: `/docs/errors#${code}`,
  });
  expect(response.status).to.equal(ERRORS[code].status);
  expect(response.headers.get("content-type")).to.match(/^application\/problem\+json/);
  expect(response.body.error)
    .to.be.a("string")
    .and.match(/[.;]|\d\/\d/);
  expect(response.body.detail).to.equal(response.body.error);
  expect(response.body.requestId).to.equal(response.headers.get("x-request-id"));
  expect(response.body).to.not.have.property("details");
}
