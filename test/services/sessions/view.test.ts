import { expect } from "chai";
import type { LiveView } from "../../../backend/ports/live.ts";
import type { SessionRow } from "../../../backend/ports/store/sessions.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { toRunView, toSessionView } from "../../../backend/services/sessions/view.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { BASE_TIME_MS, storeEndedSession } from "../../adapters/store/rows.ts";

const FINALITY = { safe: -1, final: -1 };

describe("the view of a session", () => {
  let store: Store;
  let ended: SessionRow;
  beforeEach(async () => {
    store = await openMemoryStore();
    ended = await storeEndedSession(store);
  });
  afterEach(() => store.close());

  const view = (row: SessionRow, running: Partial<LiveView> | null, isTest = false) =>
    toSessionView(row, running as LiveView | null, FINALITY, { spectatorsMax: 9, isTest });

  it("has the live state while it runs, and its end only once that is stored", () => {
    const row: SessionRow = { ...ended, phase: "ready", score: 1, tick: 2 };
    const spectators = { current: 3, max: 4 };
    const running = { phase: "running", score: 5, tick: 6, joinable: true, spectators } as const;
    expect(view(row, running)).to.deep.include({ phase: "running", score: 5, tick: 6, joinable: true, spectators });
    expect(view(row, { ...running, phase: "ended" })).to.include({ phase: "ready", score: 5, tick: 6 });
    const atRest = { score: 1, tick: 2, joinable: false, spectators: { current: 0, max: 9 } };
    expect(view(row, null)).to.deep.include({ phase: "ready", ...atRest });
    expect(view(ended, null)).to.include({ phase: "ended", endedAt: new Date(ended.endedAtMs!).toISOString() });
    expect(view({ ...ended, endedAtMs: null }, null)).to.include({ endedAt: null });
  });

  it("marks sessions of agents on a service for tests, and shows only their replays as available", () => {
    expect(view(ended, null, true)).to.include({ test: true });
    expect(view(ended, null)).to.not.have.property("test");
    expect(view({ ...ended, source: "browser_ws" }, null, true)).to.not.have.property("test");
    expect(view(ended, null).replay).to.deep.equal({ available: true, digest: ended.replayDigest });
    expect(view({ ...ended, source: "browser_ws" }, null).replay).to.deep.include({ available: false });
    expect(view({ ...ended, replayDigest: null }, null).replay).to.equal(null);
  });

  it("in a list of runs requires a wallet, an end, a hash and a digest", () => {
    expect(toRunView(ended, FINALITY)).to.deep.include({
      sessionId: ended.sessionId,
      walletAddress: ended.wallet,
      gameSessionHash: ended.gameSessionHash,
      replayDigest: ended.replayDigest,
      endedAt: new Date(BASE_TIME_MS + 60_000).toISOString(),
      playSeconds: 60,
    });
    for (const field of ["wallet", "endedAtMs", "endReason", "gameSessionHash", "replayDigest"] as const)
      expect(() => toRunView({ ...ended, [field]: null }, FINALITY), field).to.throw("not a verified agent session");
  });
});
