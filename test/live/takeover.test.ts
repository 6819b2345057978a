import { expect } from "chai";
import { Takeover } from "../../backend/live/takeover.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { silentLog } from "../adapters/chain/chain-fixture.ts";
import { describeNodes } from "../adapters/store/suite.ts";
import { TestClock } from "../helpers/test-clock.ts";
import { type LiveTestServer, startLiveTestServer } from "./live-suite.ts";

const POLL_MS = 250;
type Sessions = Store["sessions"];

describeNodes("a session whose backend has died, while another one starts", (open) => {
  const servers: LiveTestServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      await server.kill();
      await server.runUntilSettled(server.game.drain());
    }
  });

  async function startServer(change: (sessions: Sessions) => Partial<Sessions> = () => ({})): Promise<LiveTestServer> {
    const store = await open();
    const sessions = { ...store.sessions, ...change(store.sessions) };
    const server = await startLiveTestServer({ store: { ...store, sessions } });
    servers.push(server);
    return server;
  }
  /** Lets a node take over sessions until it runs this one. */
  async function runUntilHosted(server: LiveTestServer, sessionId: string): Promise<void> {
    await server.waitUntil(async () => {
      await server.advance(POLL_MS);
      return server.game.registry.isHosted(sessionId);
    });
  }
  /** The id of a session that no backend runs. */
  async function leaveSession(): Promise<string> {
    const server = await startServer();
    const { sessionId } = await server.startSession();
    const { nodes, node } = server.store;
    await nodes.release(node!.nodeId);
    return sessionId;
  }
  const claim = async ({ sessions }: Store): Promise<readonly string[]> =>
    (await sessions.claimAbandoned(64)).map(({ sessionId }) => sessionId);

  it("is left to nodes that already run games", async () => {
    const sessionId = await leaveSession();
    const { game } = await startServer();
    await game.prepareRecovery();
    expect(await claim(await open())).to.deep.equal([sessionId]);
  });

  it("is hosted by this node if no other takes it over", async () => {
    const sessionId = await leaveSession();
    const starting = await startServer();
    await starting.game.prepareRecovery();
    await starting.runUntilSettled(starting.game.recover());
    await runUntilHosted(starting, sessionId);
    expect(starting.game.registry.getView(sessionId)).to.include({ phase: "paused" });
  });

  it("is hosted even if another one, taken over earlier, cannot be read", async () => {
    const unreadable = await leaveSession();
    let reads = 0;
    const survivor = await startServer(({ getRecording }) => ({
      getRecording: (sessionId) => {
        if (sessionId !== unreadable) return getRecording(sessionId);
        reads += 1;
        return Promise.reject(new Error("the recording is damaged"));
      },
    }));
    await survivor.runUntilSettled(survivor.game.recover());
    await survivor.waitUntil(async () => {
      await survivor.advance(POLL_MS);
      return reads > 0;
    });
    const sessionId = await leaveSession();
    await runUntilHosted(survivor, sessionId);
    expect(survivor.game.registry.isHosted(unreadable)).to.equal(false);
    const before = reads;
    await survivor.waitUntil(async () => {
      await survivor.advance(POLL_MS);
      return reads > before;
    });
  });

  it("can be claimed at once when its backend stops, whose lease is still valid", async () => {
    const stopping = await startServer();
    const survivor = await open();
    const { sessionId } = await stopping.startSession();
    expect(await claim(survivor)).to.deep.equal([]);
    await stopping.runUntilSettled(stopping.game.drain());
    expect(await claim(survivor)).to.deep.equal([sessionId]);
    expect((await survivor.nodes.listLive()).map(({ nodeId }) => nodeId)).to.include(stopping.store.node!.nodeId);
  });

  it("is hosted by the node that has claimed it, even if the answer to the claim was lost", async () => {
    const sessionId = await leaveSession();
    let lost = 0;
    const survivor = await startServer(({ claimAbandoned }) => ({
      claimAbandoned: async (limit) => {
        const rows = await claimAbandoned(limit);
        if (rows.length === 0) return rows;
        lost += 1;
        throw new ArcadeError("STORAGE_BUSY", "The connection to the database was lost before its answer.");
      },
    }));
    await survivor.runUntilSettled(survivor.game.recover());
    await runUntilHosted(survivor, sessionId);
    expect(lost).to.equal(1);
  });
});

describe("a search for sessions to take over", () => {
  it("logs an outage of the store once, and its end", async () => {
    const clock = new TestClock();
    const logged: string[] = [];
    const write = (_: object, message: string): void => void logged.push(message);
    let looks = 0;
    const takeover = new Takeover({
      clock,
      log: { debug: write, info: write, warn: write, error: write },
      recovery: {
        claimAbandoned: async () => {
          looks += 1;
          if (looks <= 8) throw new ArcadeError("STORAGE_BUSY", "The database is away.");
        },
        run: async () => ({ resumed: 0, ended: 0 }),
      },
    });
    takeover.start();
    while (looks < 10) {
      clock.advance(POLL_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await takeover.stop();
    expect(logged).to.deep.equal([
      "sessions of other nodes could not be taken over yet",
      "sessions of other nodes are taken over again",
    ]);
  });
});

describe("the check for sessions to take over", () => {
  it("stops when the claim in progress has ended, and claims nothing more", async () => {
    const clock = new TestClock();
    let claims = 0;
    let finish = (): void => undefined;
    const claimed = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const claimAbandoned = async (): Promise<void> => {
      claims += 1;
      await claimed;
    };
    const run = async () => ({ resumed: 0, ended: 0 });
    const takeover = new Takeover({ recovery: { claimAbandoned, run }, clock, log: silentLog });
    takeover.start();
    clock.advance(POLL_MS);
    let isStopped = false;
    const stopped = takeover.stop().then(() => {
      isStopped = true;
    });
    await new Promise(setImmediate);
    expect(isStopped).to.equal(false);
    finish();
    await stopped;
    clock.advance(POLL_MS);
    expect(claims).to.equal(1);
  });
});
