import { expect } from "chai";
import type { ArcadeClient } from "../../client/client.ts";
import type { ToolError } from "../../mcp/errors.ts";
import { PLAY_LIMITS, Plays } from "../../mcp/plays.ts";
import { Slots, type ToolCaller } from "../../mcp/slots.ts";

const toGuest = (key: string): ToolCaller => ({ key, isPlayer: false });
const toPlayer = (key: string): ToolCaller => ({ key, isPlayer: true });

/** Starts a session with a policy that is rejected before it gets a process. Returns the error's code. */
const start = (plays: Plays, key: string): Promise<string> =>
  plays
    .start({
      client: {} as ArcadeClient,
      caller: toGuest(key),
      token: null,
      slug: "flappybots",
      policy: "() => 1n",
      isPractice: true,
      leaveAtScore: null,
    })
    .then(
      () => "started",
      (error: unknown) => (error as ToolError).code,
    );

describe("sessions that policies play", () => {
  it("are limited even if all of them are requested at once", async () => {
    const plays = new Plays();
    const codes = await Promise.all(
      Array.from({ length: PLAY_LIMITS.guests + 1 }, (_, i) => start(plays, `10.0.0.${i}`)),
    );
    expect(codes.at(-1)).to.equal("BUSY");
    expect(codes.filter((code) => code === "POLICY_INVALID")).to.have.length(PLAY_LIMITS.guests);
    expect(await start(plays, "10.0.0.1")).to.equal("POLICY_INVALID");
  });
});

describe("slots of policies", () => {
  let slots: Slots;
  beforeEach(() => {
    slots = new Slots({ atOnce: 5, guests: 3, perCaller: 2, what: "runs" });
  });
  const take = (caller: ToolCaller): (() => void) | string => {
    try {
      return slots.take(caller);
    } catch (error) {
      return (error as ToolError).code;
    }
  };

  it("are limited to two per caller, who can take another one after an end", () => {
    const [release] = [take(toGuest("a")) as () => void, take(toGuest("a"))];
    expect(take(toGuest("a"))).to.equal("BUSY");
    expect(take(toGuest("b"))).to.be.a("function");
    release();
    release();
    expect(take(toGuest("a"))).to.be.a("function");
  });

  it("have a share for guests, who never take those of players", () => {
    const release = take(toGuest("a")) as () => void;
    for (const key of ["b", "c"]) expect(take(toGuest(key))).to.be.a("function");
    expect(take(toGuest("d"))).to.equal("BUSY");
    for (const key of ["p", "q"]) expect(take(toPlayer(key))).to.be.a("function");
    expect(take(toPlayer("r"))).to.equal("BUSY");
    release();
    expect(take(toPlayer("r"))).to.be.a("function");
    expect(take(toGuest("d"))).to.equal("BUSY");
  });

  it("are not limited per caller for the only caller of a server", () => {
    const taken = Array.from({ length: 6 }, () => take({ key: null, isPlayer: true }));
    expect(taken.filter((slot) => slot === "BUSY")).to.have.length(1);
  });
});
