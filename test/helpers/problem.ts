import { expect } from "chai";
import { ERRORS } from "../../backend/domain/errors.ts";
import type { Answer } from "./suite.ts";

/** A failure in the form that every door promises. */
export function expectProblem(answer: Answer, code: keyof typeof ERRORS): void {
  expect(answer.body, JSON.stringify(answer.body)).to.include({
    ok: false,
    code,
    status: ERRORS[code].status,
    retryable: ERRORS[code].retryable,
    type: `/docs/errors#${code}`,
  });
  expect(answer.status).to.equal(ERRORS[code].status);
  expect(answer.headers.get("content-type")).to.match(/^application\/problem\+json/);
  expect(answer.body.error)
    .to.be.a("string")
    .and.match(/[.;]|\d\/\d/);
  expect(answer.body.detail).to.equal(answer.body.error);
  expect(answer.body.requestId).to.equal(answer.headers.get("x-request-id"));
  expect(answer.body).to.not.have.property("details");
}
