import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { GzippedText } from "../../backend/http/responses/gzipped-text.ts";
import { createPublicResponse } from "../../backend/http/responses/response.ts";

const getType = (body: unknown, headers: { readonly [name: string]: string } = {}) => {
  const response = createPublicResponse({ status: 200, body, headers } as never);
  return response.headers[response.headers.indexOf("Content-Type") + 1];
};

describe("the content type of a response", () => {
  it("is that of its header for bytes and texts, and JSON for a body of fields", () => {
    const bytes = Buffer.from("a");
    expect(getType(bytes)).to.equal("application/octet-stream");
    expect(getType(bytes, { "Content-Type": "image/png" })).to.equal("image/png");
    expect(getType(new GzippedText(gzipSync("a")))).to.equal("application/octet-stream");
    expect(getType("a", { "Content-Type": "text/plain" })).to.equal("text/plain; charset=utf-8");
    expect(getType({ a: 1 })).to.equal("application/json; charset=utf-8");
  });
});
