import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { NodePool } from "../../../backend/adapters/chain/nodes/node-pool.ts";
import { createRpc } from "../../../backend/adapters/chain/rpc.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { silentLog } from "./chain-fixture.ts";
import { startFaultyNode } from "./faulty-node.ts";
import { useTransactionManager } from "./manager-fixture.ts";

interface Call {
  readonly id: number;
  readonly method: string;
}

/** A node that says of every transaction that it has it, and keeps none; all else is answered by the node behind. */
async function startSilencer(target: string) {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const calls = JSON.parse(text) as readonly Call[];
    const isSend = ({ method }: Call): boolean => method === "eth_sendRawTransaction";
    const body = JSON.stringify(calls.filter((call) => !isSend(call)));
    const answered = body === "[]" ? [] : await (await fetch(target, { method: "POST", body })).json();
    const accepted = calls.filter(isSend).map(({ id }) => ({ jsonrpc: "2.0", id, result: `0x${"11".repeat(32)}` }));
    response.end(JSON.stringify([...(answered as readonly object[]), ...accepted]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe("transactions at several nodes", function () {
  this.timeout(20_000);
  const env = useTransactionManager();

  it("reach the chain although the first node accepts them and does not pass them on", async () => {
    const silencer = await startSilencer(env.node.url);
    const second = await startFaultyNode(env.chain.rpcUrl);
    const options = { clock: systemClock, chainId: 31_337 };
    const nodes = new NodePool({ ...options, rpcUrls: [silencer.url, second.url], log: silentLog });
    const rpc = createRpc({ ...options, rpcUrl: silencer.url, nodes });
    const writer = env.start({ rpc, largeBatchRpc: rpc });
    try {
      // Both are believed now, and the first one is asked first.
      await nodes.readHead();
      expect(nodes.rank()).to.deep.equal([0, 1]);
      const { id } = await writer.submit(env.transfer("kept"));
      expect((await writer.waitForTransaction(id, 5_000)).status).to.equal("included");
      expect(await env.balance()).to.equal(1n);
    } finally {
      await env.stop(writer);
      silencer.close();
      second.close();
    }
  });
});
