import { expect } from "chai";
import type { Store } from "../../backend/ports/store/store.ts";
import { SessionOpener } from "../../backend/services/sessions/session-opener.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { uuidV7 } from "../../domain/ids.ts";
import { findGame } from "../../games/index.ts";
import { openMemoryStore } from "../../testing/images.ts";
import { createSession } from "../adapters/store/rows.ts";
import { type LiveTestServer, startLiveTestServer } from "./live-suite.ts";

const LOOK_MS = 1000;
const LOST = "The connection to the database was lost before its answer.";

describe("a stored session that no process runs", () => {
  let store: Store;
  let server: LiveTestServer;
  let failures: number;
  let logged: string[];
  beforeEach(async () => {
    store = await openMemoryStore();
    failures = 0;
    logged = [];
    const keep = (_: object, message: string): void => void logged.push(message);
    const log = { debug() {}, info: keep, warn: keep, error: keep };
    const add: Store["sessions"]["add"] = async (session) => {
      await store.sessions.add(session);
      throw new ArcadeError("STORAGE_BUSY", LOST);
    };
    const listOpen: Store["sessions"]["listOpen"] = async () => {
      if (failures === 0) return store.sessions.listOpen();
      failures -= 1;
      throw new ArcadeError("STORAGE_BUSY", LOST);
    };
    server = await startLiveTestServer({ store: { ...store, sessions: { ...store.sessions, add, listOpen } }, log });
  });
  afterEach(() => server.stop());

  /** A start whose answer from the store is lost. Returns the session's id. */
  async function loseStart(): Promise<string> {
    const { clock, game } = server;
    const catalog = { find: (slug: string) => findGame(slug)!, get: (slug: string) => findGame(slug)! };
    const { sessions } = server.store;
    const opener = new SessionOpener({ store: sessions, live: game.registry, clock, catalog: catalog as never });
    const { wallet, agentId, agentName } = createSession();
    const player = { wallet, agentId, agentName, practiceTokenHash: null };
    const sessionId = uuidV7(clock.nowMs(), new Uint8Array(10));
    const facts = { slug: "shellrunners", source: "agent_api", ip: null, isLockstep: false } as const;
    const error = await opener.open({ ...facts, sessionId, player }).catch((error: unknown) => error);
    expect(error).to.include({ code: "STORAGE_BUSY" });
    return sessionId;
  }

  async function waitUntilHosted(sessionId: string): Promise<void> {
    await server.waitUntil(async () => {
      await server.advance(LOOK_MS);
      return server.game.registry.isHosted(sessionId);
    });
  }

  it("is hosted after its start got no answer, so that its player can continue with it", async () => {
    const sessionId = await loseStart();
    await waitUntilHosted(sessionId);
    const row = (await store.sessions.find(sessionId))!;
    const player = await server.join("play", row);
    expect(await player.waitForHello()).to.include({ sessionId, resumed: false });
  });

  it("is hosted as soon as the store answers again", async () => {
    failures = 12;
    await waitUntilHosted(await loseStart());
    expect(failures).to.equal(0);
    expect(logged.filter((message) => message.includes("looked for"))).to.deep.equal([
      "sessions that may have been stored could not be looked for yet",
      "sessions that may have been stored are looked for again",
    ]);
  });

  it("is left to a start that is under way", async () => {
    const session = { ...createSession(), sessionId: uuidV7(server.clock.nowMs(), new Uint8Array(10)) };
    await store.sessions.add(session);
    let looks = 0;
    const { listOpen } = store.sessions;
    store.sessions.listOpen = async () => {
      const rows = await listOpen();
      looks += 1;
      return rows;
    };
    server.game.registry.reclaim();
    await server.waitUntil(async () => {
      if (looks === 0) await server.advance(LOOK_MS);
      return looks === 1;
    });
    const row = (await store.sessions.find(session.sessionId))!;
    expect(server.game.registry.isHosted(row.sessionId)).to.equal(false);
    server.game.registry.open(row, null);
    await server.advance(3 * LOOK_MS);
    expect(server.game.registry.getView(row.sessionId)).to.include({ phase: "ready" });
  });

  it("is looked for ten times after a lost answer, and not again until the next one", async () => {
    let looks = 0;
    const { listOpen } = store.sessions;
    store.sessions.listOpen = () => {
      looks += 1;
      return listOpen();
    };
    for (const count of [10, 20]) {
      server.game.registry.reclaim();
      await server.waitUntil(async () => {
        await server.advance(LOOK_MS);
        return looks >= count;
      });
      await server.advance(3 * LOOK_MS);
      expect(looks).to.equal(count);
    }
  });
});
