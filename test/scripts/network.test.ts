import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { createRpcRequest } from "../../deploy/public/rpc.ts";
import { loadDeployContext } from "../../scripts/deploy/options.ts";
import { setEnvironment } from "../helpers/environment.ts";
import { startServer } from "../helpers/http-server.ts";

describe("a provider", () => {
  it("that answers no JSON-RPC is reported with what it answers", async () => {
    const server = await startServer((_, response, { url }) =>
      response.writeHead(url === "/html" ? 200 : 401, { "Content-Type": "text/html" }).end("<html>"),
    );
    const load = (rpc: string) => loadDeployContext({ network: "baseSepolia", rpc }).catch(({ message }) => message);
    try {
      expect(await load(`${server.url}/html`)).to.match(/does not answer JSON-RPC: a body that is not JSON$/);
      expect(await load(server.url)).to.match(/: HTTP 401$/);
    } finally {
      server.close();
    }
    expect(await load(server.url)).to.match(/: ECONNREFUSED$/);
  });

  it("that rejects requests is reported with its sentence", async () => {
    const error = { code: -32005, message: "daily request count exceeded" };
    const server = await startServer((body, response) =>
      response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id, error })),
    );
    const loaded = loadDeployContext({ network: "baseSepolia", rpc: server.url }).catch(({ message }) => message);
    expect(await loaded).to.match(/^The node at 127\.0\.0\.1:\d+ rejects requests: daily request count exceeded$/);
    server.close();
  });

  it("that has no chain id yet is not taken for chain 0", async () => {
    const server = await startServer((body, response) =>
      response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id, result: null })),
    );
    const loaded = loadDeployContext({ rpc: server.url }).catch(({ message }) => message);
    expect(await loaded).to.match(/rejects requests: it returns null instead of a number for eth_chainId$/);
    server.close();
  });

  it("that still indexes transactions after a restart has none of them yet", async () => {
    const server = await startServer((_, response) =>
      response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"transaction indexing is in progress"}}'),
    );
    try {
      const request = createRpcRequest(server.url, 0);
      for (const method of ["eth_getTransactionReceipt", "eth_getTransactionByHash"])
        expect(await request({ method, params: [`0x${"1".repeat(64)}`] }), method).to.equal(null);
    } finally {
      server.close();
    }
  });
});

describe("--network local", () => {
  it("uses the node on the configured port", async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x7a69" }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const restoreEnvironment = setEnvironment({ ARCADE_RPC_PORT: String(port) });
    try {
      const { network, rpcUrl } = await loadDeployContext({ network: "local" });
      expect(rpcUrl).to.equal(`http://127.0.0.1:${port}`);
      expect(network.chainId).to.equal(31337);
      expect(asked).to.have.lengthOf(1);
    } finally {
      restoreEnvironment();
      server.close();
    }
  });
});
