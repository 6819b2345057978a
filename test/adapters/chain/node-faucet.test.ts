import { expect } from "chai";
import { createPublicClient, http, parseEther } from "viem";
import { createNodeFaucet } from "../../../backend/adapters/chain/node-faucet.ts";
import { developmentServiceAccount } from "../../../backend/config/dev-keys.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { createTestAccount } from "../../http/support/sign-in.ts";

describe("the faucet of a service beside its own local node", () => {
  const preferred = developmentServiceAccount(0).address;
  const other = createTestAccount(1).address;
  const stack = useTestStack();

  for (const [name, sender] of [
    ["the service's development account", preferred],
    ["another account that the node has unlocked", other],
  ] as const) {
    it(`sends ether from ${name}`, async () => {
      const { rpcUrl } = stack.chain;
      const { address } = createTestAccount(sender === preferred ? 77 : 78);
      const chain = createPublicClient({ transport: http(rpcUrl), pollingInterval: 20, cacheTime: 0 });
      const hash = await createNodeFaucet(rpcUrl, sender)(address, parseEther("1"));
      await chain.waitForTransactionReceipt({ hash });
      expect(await chain.getBalance({ address })).to.equal(parseEther("1"));
      const { from } = await chain.getTransaction({ hash });
      expect(from.toLowerCase() === sender.toLowerCase()).to.equal(sender === preferred);
    });
  }

  it("is CHAIN_UNAVAILABLE when the node does not answer", async () => {
    const faucet = createNodeFaucet("http://127.0.0.1:9", preferred);
    const error = await faucet(other, 1n).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: "CHAIN_UNAVAILABLE" });
  });
});
