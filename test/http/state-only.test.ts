import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { serveStateOnly } from "../../backend/http/server/state-only.ts";

describe("a server without the HTTP interface", () => {
  let server: Server;
  before(async () => {
    server = createServer(
      serveStateOnly(["live", "chain"], (request, response) => response.end(`passed ${request.url}`)),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after((done) => {
    server.close(done);
    server.closeAllConnections();
  });

  const request = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, init);

  it("reports the state of its process", async () => {
    for (const path of ["/healthz", "/readyz", "/metrics", "/readyz?verbose"])
      expect(await (await request(path)).text()).to.equal(`passed ${path}`);
  });

  it("answers every other request with the role that serves it", async () => {
    for (const path of ["/", "/api/games/catalog", "/healthz/", "/readyz/../api", "/%68ealthz/x", "/mcp"]) {
      const response = await request(path, { method: "POST", body: "x".repeat(10_000) });
      expect(response.status, path).to.equal(421);
      expect(response.headers.get("content-type")).to.include("application/problem+json");
      expect(await response.json()).to.include({
        ok: false,
        code: "MISDIRECTED_REQUEST",
        retryable: false,
        role: "api",
        error: "This server has the roles live, chain; a server with the role api answers this.",
      });
    }
  });
});
