import { expect } from "chai";
import { normalizePath } from "../../domain/request-path.ts";

const PATHS: { readonly [given: string]: string } = {
  "/": "/",
  "//": "/",
  "/a": "/a",
  "//a": "/a",
  "/a/": "/a",
  "///a//b//?q=//": "/a/b?q=//",
  "/a/?x=/": "/a?x=/",
  "?x": "?x",
  "//?x": "/?x",
  "": "",
  "http://arcade.example:4100/a/": "/a",
  "HTTPS://[::1]//a?q=http://x/": "/a?q=http://x/",
  "http://arcade.example": "/",
  "http://arcade.example?x": "/?x",
  "/http://a/b": "/http:/a/b",
};

describe("the path of a request", () => {
  for (const [given, expected] of Object.entries(PATHS))
    it(`${JSON.stringify(given)} is ${JSON.stringify(expected)}`, () =>
      expect(normalizePath(given)).to.equal(expected));

  it("takes a time that grows with the length, also for slashes alone", () => {
    const url = `/a${"/".repeat(1_000_000)}b/`;
    expect(normalizePath(url)).to.equal("/a/b");
  }).timeout(1_000);
});
