import { expect } from "chai";
import { createPublicClient, createWalletClient, defineChain, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createClient, fromViem, registerAgent, requestPayout, snapshotScore } from "../../client/index.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent, createPlayer } from "../../testing/player.ts";
import { startAnvilChain, startAppOnAnvil } from "../helpers/anvil-stack.ts";
import { startTestStack } from "../helpers/suite.ts";
import { ShiftClock } from "../http/support/shift-clock.ts";

const HOUR_SECONDS = 3600;

describe("a chain without a block for an hour", () => {
  for (const traveledSeconds of [0, 7 * 86_400]) {
    it(`accepts an established wallet's snapshot on the embedded chain, ${traveledSeconds} s ahead`, async () => {
      const stack = await startTestStack();
      try {
        await stack.chain.request("evm_increaseTime", [traveledSeconds]);
        const player = await createAgent(stack);
        const { sessionId } = await addEndedSession(stack, { wallet: player.address });
        // The chain's clock continues without a block.
        await stack.chain.request("evm_increaseTime", [HOUR_SECONDS]);
        const { mode } = await snapshotScore({ client: player.client, sessionId });
        expect(mode).to.equal("recorded");
      } finally {
        await stack.close();
      }
    });
  }

  it("pays after the cooldown on the embedded chain, a week ahead of the machine", async () => {
    const stack = await startTestStack();
    try {
      await stack.chain.request("evm_increaseTime", [7 * 86_400]);
      const { client, address } = await createAgent(stack);
      const { sessionId } = await addEndedSession(stack, { wallet: address, minScore: 10 });
      await snapshotScore({ client, sessionId });
      expect(await requestPayout({ client, waitMaxMs: 120_000 })).to.include({ paid: true });
    } finally {
      await stack.close();
    }
  });

  it("accepts a registration on the embedded chain", async () => {
    const stack = await startTestStack();
    try {
      const player = await createPlayer(stack);
      await stack.chain.request("evm_increaseTime", [HOUR_SECONDS]);
      const { receipt } = await registerAgent({ client: player.client, agentName: "Late" });
      expect(receipt?.status).to.equal("success");
    } finally {
      await stack.close();
    }
  });

  for (const chainId of [31337, 84532]) {
    it(`accepts an established wallet's snapshot on anvil with chain id ${chainId}`, async () => {
      const anvil = await startAnvilChain(chainId);
      const clock = new ShiftClock();
      const app = await startAppOnAnvil(anvil, { clock });
      try {
        const account = privateKeyToAccount(generatePrivateKey());
        await anvil.fund(account.address);
        const chain = defineChain({ ...anvil.client.chain, id: chainId });
        const transport = http(anvil.rpcUrl);
        const walletClient = createWalletClient({ account, chain, transport });
        const publicClient = createPublicClient({ chain, transport, pollingInterval: 20 });
        const wallet = fromViem(walletClient, publicClient as never);
        const contracts = { ...anvil.deployment, chainId };
        const client = createClient({ baseUrl: app.httpUrl, wallet, contracts });
        await registerAgent({ client, agentName: "Idler" });
        const { sessionId } = await addEndedSession(anvil, { wallet: account.address });
        await anvil.client.increaseTime({ seconds: HOUR_SECONDS });
        clock.shiftWallClock(HOUR_SECONDS * 1000);
        const { mode } = await snapshotScore({ client, sessionId });
        expect(mode).to.equal("recorded");
      } finally {
        await app.close();
        await anvil.close();
      }
    });
  }
});
