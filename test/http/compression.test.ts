import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import express from "express";
import { serveSiteFiles } from "../../backend/http/site/site-files.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";

interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Does not use `fetch`, which decompresses responses. */
const get = (
  url: string,
  headers: { readonly [name: string]: string } = {},
  method: "GET" | "HEAD" | "POST" = "GET",
): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    request(url, { headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    })
      .on("error", reject)
      .end();
  });

describe("text responses", () => {
  let stack: TestStack;
  before(async () => {
    stack = await startTestStack();
  });
  after(() => stack.close());
  const read = (path: string, encoding?: string, headers = {}) =>
    get(stack.httpUrl + path, { ...(encoding === undefined ? {} : { "Accept-Encoding": encoding }), ...headers });

  for (const path of ["/openapi.json", "/docs/reference", "/skill.md", "/api/games/catalog", "/api/agent-instructions"])
    it(`${path} is compressed as the client accepts, with the same text`, async () => {
      const plain = await read(path);
      expect(plain.headers["content-encoding"]).to.equal(undefined);
      expect(plain.headers.vary).to.include("Accept-Encoding");
      for (const [accepted, encoding, unpack] of [
        ["gzip, deflate, br", "br", brotliDecompressSync],
        ["gzip", "gzip", gunzipSync],
      ] as const) {
        const packed = await read(path, accepted);
        expect(packed.headers["content-encoding"]).to.equal(encoding);
        expect(packed.headers["content-type"]).to.equal(plain.headers["content-type"]);
        expect(packed.headers.vary).to.include("Accept-Encoding");
        expect(packed.headers.etag).to.match(/^"/).and.not.equal(plain.headers.etag);
        expect(packed.bytes.length).to.be.lessThan(plain.bytes.length / 2);
        expect(unpack(packed.bytes)).to.deep.equal(plain.bytes);
        expect((await read(path, accepted, { "If-None-Match": packed.headers.etag! })).status).to.equal(304);
      }
      expect((await read(path, "br;q=0, gzip;q=0")).headers["content-encoding"]).to.equal(undefined);
    });

  it("a tiny response is never compressed", async () => {
    const { headers, bytes } = await read("/healthz", "br, gzip");
    expect(bytes.length).to.be.lessThan(1024);
    expect(headers["content-encoding"]).to.equal(undefined);
  });

  describe("for a browser", () => {
    const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

    it("a mistyped path is a page with what to do and the request's id", async () => {
      for (const path of ["/leaderboard", "/watch/x", "/api/games/tetris"]) {
        const { status, headers, bytes } = await read(path, undefined, BROWSER);
        expect(status, path).to.equal(404);
        expect(headers["content-type"], path).to.equal("text/html; charset=utf-8");
        expect(headers.vary!.split(", ")).to.include("Accept");
        const text = bytes.toString();
        expect(text)
          .to.match(/^<!doctype html>/)
          .and.include(headers["x-request-id"]);
        expect(text).to.include('href="/"').and.include('href="/docs/reference"');
      }
    });

    it("a mistyped path cannot write into the page", async () => {
      const { bytes } = await read("/%3Cscript%3Ealert(1)%3C/script%3E", undefined, BROWSER);
      expect(bytes.toString()).to.not.include("<script>");
    });

    it("a program gets the problem document", async () => {
      for (const accept of [undefined, "*/*", "application/json", "application/problem+json, */*"]) {
        const { headers } = await read("/leaderboard", undefined, accept === undefined ? {} : { Accept: accept });
        expect(headers["content-type"], accept).to.equal("application/problem+json; charset=utf-8");
      }
    });

    it("the icon is not an error", async () => {
      expect((await read("/favicon.ico", undefined, BROWSER)).status).to.equal(204);
    });
  });
});

describe("the site's files", () => {
  it("are served as compressed by the build", async () => {
    const webDir = await mkdtemp(join(tmpdir(), "arcade-viewer-"));
    const script = `console.log("${"arcade ".repeat(400)}");`;
    await mkdir(join(webDir, "assets"));
    for (const name of ["assets/main.js", "about.html"]) {
      await writeFile(join(webDir, name), script);
      await writeFile(join(webDir, `${name}.br`), brotliCompressSync(script));
      await writeFile(join(webDir, `${name}.gz`), gzipSync(script));
    }
    await writeFile(join(webDir, "plain.css"), "a{}");
    const server = express()
      .use(...serveSiteFiles(webDir))
      .listen(0, "127.0.0.1");
    try {
      await new Promise((resolve) => server.once("listening", resolve));
      const { port } = server.address() as { port: number };
      const read = (path: string, encoding: string, method?: "HEAD" | "POST") =>
        get(`http://127.0.0.1:${port}${path}`, { "Accept-Encoding": encoding }, method);
      for (const [path, type] of [
        ["/assets/main.js", "text/javascript"],
        ["/about.html", "text/html"],
      ] as const) {
        const [br, gz, plain] = [await read(path, "gzip, br"), await read(path, "gzip"), await read(path, "identity")];
        expect(brotliDecompressSync(br.bytes).toString()).to.equal(script);
        expect(gunzipSync(gz.bytes).toString()).to.equal(script);
        expect(plain.bytes.toString()).to.equal(script);
        for (const { headers } of [br, gz, plain]) {
          expect(headers["content-type"]).to.match(new RegExp(`^${type}`));
          expect(headers.vary).to.equal("Accept-Encoding");
        }
        expect([br, gz, plain].map(({ headers }) => headers["content-encoding"])).to.deep.equal([
          "br",
          "gzip",
          undefined,
        ]);
        expect(new Set([br, gz, plain].map(({ headers }) => headers.etag)).size).to.equal(3);
        expect(br.headers["cache-control"]).to.equal(plain.headers["cache-control"]);
        const head = await read(path, "gzip, br", "HEAD");
        expect([head.headers["content-encoding"], head.headers.etag]).to.deep.equal(["br", br.headers.etag]);
        const posted = await read(path, "gzip, br", "POST");
        expect([posted.status, posted.headers["content-encoding"]]).to.deep.equal([404, undefined]);
      }
      expect((await read("/plain.css", "br")).headers["content-encoding"]).to.equal(undefined);
    } finally {
      server.close();
      await rm(webDir, { recursive: true });
    }
  });
});
