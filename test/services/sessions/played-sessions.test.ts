import { expect } from "chai";
import { Sessions } from "../../../backend/services/sessions/sessions.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { getRejection } from "../../adapters/store/suite.ts";

const SLUG = "shellrunners";
const ALICE = { kind: "wallet", wallet: `0x${"11".repeat(20)}`, familyId: "family" } as const;
const BOB = { ...ALICE, wallet: `0x${"22".repeat(20)}` } as const;

const createRow = (sessionId: string) => ({ sessionId, slug: SLUG, wallet: ALICE.wallet, phase: "ready" });

/** `here` runs in this process, `elsewhere` in another one. */
function createSessions(): { readonly sessions: Sessions; readonly read: string[] } {
  const read: string[] = [];
  const live = {
    findRow: (sessionId: string) => (sessionId === "here" ? createRow(sessionId) : null),
    waitUntilRecovered: async () => undefined,
    heartbeat: (sessionId: string) => sessionId,
    step: (sessionId: string) => sessionId,
  };
  const store = {
    find: async (sessionId: string) => {
      read.push(sessionId);
      return createRow(sessionId);
    },
  };
  return { sessions: new Sessions({ live, store } as never), read };
}

describe("calls of a running game", () => {
  const calls = {
    heartbeat: (sessions: Sessions, ...[slug, id, player]: Parameters<Sessions["heartbeat"]>) =>
      sessions.heartbeat(slug, id, player),
    step: (sessions: Sessions, ...[slug, id, player]: Parameters<Sessions["heartbeat"]>) =>
      sessions.step(slug, id, player, { move: null, ticks: 1 }),
  };
  for (const [name, call] of Object.entries(calls)) {
    it(`${name}: reads the store only for other processes' games`, async () => {
      const { sessions, read } = createSessions();
      expect(await call(sessions, SLUG, "here", ALICE)).to.equal("here");
      expect(read).to.deep.equal([]);
      expect(await call(sessions, SLUG, "elsewhere", ALICE)).to.equal("elsewhere");
      expect(read).to.deep.equal(["elsewhere"]);
    });

    it(`${name}: requires the player and this game in either case`, async () => {
      const { sessions } = createSessions();
      for (const id of ["here", "elsewhere"]) {
        const ofOther = await getRejection(call(sessions, SLUG, id, BOB));
        const ofOtherGame = await getRejection(call(sessions, "flappybots", id, ALICE));
        expect(ofOther).to.include({ code: "SESSION_NOT_FOUND" });
        expect(ofOther.message).to.contain("that this token may play");
        expect(ofOtherGame).to.include({ code: "SESSION_NOT_FOUND" });
      }
    });
  }
});

describe("calls of a game that does not run again yet after a restart", () => {
  const calls: { readonly [name: string]: (sessions: Sessions) => Promise<unknown> } = {
    heartbeat: (sessions) => sessions.heartbeat(SLUG, "elsewhere", ALICE),
    step: (sessions) => sessions.step(SLUG, "elsewhere", ALICE, { move: null, ticks: 1 }),
    end: (sessions) => sessions.end(SLUG, "elsewhere", ALICE),
    "a repeated start of practice": (sessions) => sessions.rejoin(SLUG, "elsewhere", null),
  };
  for (const [name, call] of Object.entries(calls))
    it(`${name}: waits, and reads nothing of the game before`, async () => {
      const waited: string[] = [];
      const live = {
        findRow: () => null,
        waitUntilRecovered: async (sessionId: string) => {
          waited.push(sessionId);
          throw new ArcadeError("SESSION_RECOVERING", "The session is being recovered.");
        },
      };
      const store = { find: async (sessionId: string) => createRow(sessionId) };
      const error = await getRejection(call(new Sessions({ live, store } as never)));
      expect(error).to.include({ code: "SESSION_RECOVERING" });
      expect(waited).to.deep.equal(["elsewhere"]);
    });
});
