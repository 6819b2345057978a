import { expect } from "chai";
import { reachBlock } from "../../backend/http/pipeline/chain-block.ts";
import { createClient } from "../../client/index.ts";
import { createAgent } from "../../testing/player.ts";
import { useTestStack } from "../helpers/suite.ts";
import { createRouteTester } from "./support/watch-routes.ts";

describe("Arcade-Min-Block", () => {
  const stack = useTestStack();
  const api = createRouteTester(() => stack);

  it("gets answers as of that block or a later one, which they state", async () => {
    const agent = await createAgent(stack);
    const token = await agent.getAccessToken();
    const ask = (block: number | string) => ({ token, body: {}, headers: { "Arcade-Min-Block": String(block) } });
    const { body, headers } = await api.expectSuccess("rewards.readiness", { token, body: {} });
    expect(Number(headers.get("arcade-block"))).to.equal(body.asOf.block);
    await stack.chain.request("evm_mine", []);
    const next = await api.expectSuccess("rewards.readiness", ask(body.asOf.block + 1));
    expect(next.body.asOf.block).to.be.at.least(body.asOf.block + 1);
    // The local chain may have been reverted. All of it is stored, so the answer does not wait.
    await api.expectSuccess("rewards.scorebank", ask(next.body.asOf.block + 1_000));
    for (const wrong of ["latest", "-1", "1e3", "0x10", "1".repeat(16)])
      await api.expectError("rewards.scorebank", "VALIDATION_FAILED", ask(wrong));
  });

  it("is in no response of a server that does not know a block yet", async () => {
    const index = { getStoredHead: () => null, waitForBlock: async () => true };
    expect(await reachBlock(undefined, index)).to.equal(null);
  });

  it("is rejected by a server that does not reach the block in time, but not at or below its block", async () => {
    const index = {
      getStoredHead: () => ({ number: 7, hash: "0x07", timestamp: 7 }) as const,
      waitForBlock: async (block: number) => block <= 7,
    };
    for (const header of [undefined, "0", "6", "7"]) expect(await reachBlock(header, index)).to.equal(7);
    const error = await reachBlock("8", index).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: "CHAIN_UNAVAILABLE", retryable: true });
  });

  it("is sent by the client with the latest block of responses and receipts", async () => {
    const sent: (string | null)[] = [];
    let block = "5";
    const client = createClient({
      baseUrl: "http://service.example",
      fetch: async (_, init) => {
        sent.push(new Headers(init.headers).get("arcade-min-block"));
        return new Response('{"ok":true}', { headers: { "Arcade-Block": block } });
      },
    });
    const ask = () => client.identity.ownershipStatus({ walletAddress: `0x${"11".repeat(20)}` });
    await ask();
    block = "3";
    await ask();
    client.seeBlock(9);
    await ask();
    expect(sent).to.deep.equal([null, "5", "9"]);
  });
});
