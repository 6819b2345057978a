import { expect } from "chai";
import { createRpc } from "../../../backend/adapters/chain/rpc.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { startChaosNode } from "../../../testing/chaos/node.ts";
import { type HttpServer, startServer } from "../../helpers/http-server.ts";
import { createTestPool } from "./chain-fixture.ts";
import { useTransactionManager } from "./manager-fixture.ts";

interface Call {
  readonly id: number;
  readonly method: string;
}

/** A node that accepts every transaction and drops it. The node behind it answers all other calls. */
const startSilencer = (target: string): Promise<HttpServer> =>
  startServer(async (text, response) => {
    const calls = JSON.parse(text) as readonly Call[];
    const isSend = ({ method }: Call): boolean => method === "eth_sendRawTransaction";
    const body = JSON.stringify(calls.filter((call) => !isSend(call)));
    const answered = body === "[]" ? [] : await (await fetch(target, { method: "POST", body })).json();
    const accepted = calls.filter(isSend).map(({ id }) => ({ jsonrpc: "2.0", id, result: `0x${"11".repeat(32)}` }));
    response.end(JSON.stringify([...(answered as readonly object[]), ...accepted]));
  });

describe("transactions at several nodes", () => {
  const env = useTransactionManager();

  it("reach the chain although the first node accepts them and does not pass them on", async () => {
    const silencer = await startSilencer(env.node.url);
    const second = await startChaosNode({ to: env.chain.rpcUrl });
    const nodes = createTestPool([silencer.url, second.url]);
    const rpc = createRpc({ clock: systemClock, chainId: 31_337, rpcUrl: silencer.url, nodes });
    const writer = env.start({ rpc, largeBatchRpc: rpc });
    try {
      // Both are now trusted, and the first one is used first.
      await nodes.readHead();
      expect(nodes.rank()).to.deep.equal([0, 1]);
      const { id } = await writer.submit(env.transfer("kept"));
      expect((await writer.waitForTransaction(id, 5_000)).status).to.equal("included");
      expect(await env.balance()).to.equal(1n);
    } finally {
      await env.stop(writer);
      silencer.close();
      await second.close();
    }
  });
});
