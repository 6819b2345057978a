import { expect } from "chai";
import type { Store } from "../../backend/ports/store/store.ts";
import { describeNodes } from "../adapters/store/suite.ts";
import { type LiveTestServer, startLiveTestServer } from "./live-suite.ts";

const POLL_MS = 250;

describeNodes("a session whose backend has died, while another one starts", (open) => {
  const servers: LiveTestServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      await server.kill();
      await server.runUntilSettled(server.game.drain());
    }
  });

  async function startServer(): Promise<LiveTestServer> {
    const server = await startLiveTestServer({ store: await open() });
    servers.push(server);
    return server;
  }
  /** The id of a session that no backend runs any more. */
  async function leaveSession(): Promise<string> {
    const server = await startServer();
    const { sessionId } = await server.startSession();
    const { nodes, node } = server.store;
    await nodes.release(node!.nodeId);
    return sessionId;
  }
  const claim = async ({ sessions }: Store): Promise<readonly string[]> =>
    (await sessions.claimAbandoned(64)).map(({ sessionId }) => sessionId);

  it("is left to those that run games already", async () => {
    const sessionId = await leaveSession();
    const { game } = await startServer();
    await game.prepareRecovery();
    expect(await claim(await open())).to.deep.equal([sessionId]);
  });

  it("is hosted by that one where no other takes it over", async () => {
    const sessionId = await leaveSession();
    const starting = await startServer();
    await starting.game.prepareRecovery();
    await starting.runUntilSettled(starting.game.recover());
    const { registry } = starting.game;
    await starting.waitUntil(async () => {
      await starting.advance(POLL_MS);
      return registry.isHosted(sessionId);
    });
    expect(registry.getView(sessionId)).to.include({ phase: "paused" });
  });
});
