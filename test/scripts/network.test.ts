import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { loadDeployContext } from "../../scripts/deploy/options.ts";
import { setEnvironment } from "../helpers/environment.ts";

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
