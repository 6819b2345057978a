import { expect } from "chai";
import { snapshotScore } from "../../../client/index.ts";
import { addEndedSession } from "../../../testing/ended-session.ts";
import { createAnvilAgent } from "../../helpers/anvil-agent.ts";
import { startAnvilChain, startAppOnAnvil } from "../../helpers/anvil-stack.ts";
import { useShared } from "../../helpers/fixture.ts";
import { sendRequest } from "../../helpers/suite.ts";
import { waitFor } from "./chain-fixture.ts";

const GAME = "/api/games/flappybots";
const COOLDOWN_SECONDS = 90;

describe("a chain without new blocks", () => {
  const chain = useShared(startAnvilChain);

  it("delays a payout, which is paid once with the next block, while games, reads and signatures continue", async () => {
    const app = await startAppOnAnvil(chain);
    try {
      const { address, client, post } = await createAnvilAgent(chain, app.httpUrl);
      const { sessionId } = await addEndedSession(chain, { wallet: address, minScore: 20 });
      await snapshotScore({ client, sessionId });
      await chain.client.increaseTime({ seconds: COOLDOWN_SECONDS });
      await chain.client.mine({ blocks: 1 });
      await waitFor(async () => (await client.rewards.readiness({})).ready);

      await chain.client.setAutomine(false);
      const { status, body } = await post("/api/rewards/payout");
      expect(status).to.equal(202);
      await addEndedSession(chain, { wallet: address, minScore: 20 });
      expect((await post("/api/rewards/snapshot")).status).to.equal(200);
      const start = { body: { source: "browser_ws" } };
      expect((await sendRequest(app.httpUrl, "POST", `${GAME}/sessions/start`, start)).status).to.equal(200);
      expect((await post("/api/rewards/scorebank")).status).to.equal(200);

      await chain.client.setAutomine(true);
      await chain.client.mine({ blocks: 1 });
      const readStatus = () => client.rewards.payoutStatus({ payoutId: body.payoutId });
      await waitFor(async () => (await readStatus()).status === "included");
      const listPaid = async () => (await client.rewards.payoutHistory({})).items;
      await waitFor(async () => (await listPaid()).length > 0);
      await chain.client.mine({ blocks: 3 });
      expect(await listPaid()).to.have.length(1);
    } finally {
      await chain.client.setAutomine(true);
      await app.close();
    }
  });
});
