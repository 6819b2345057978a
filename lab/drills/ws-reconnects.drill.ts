/**
 * RECONNECT: 10,000 reconnects to a running game with the limits on, most of them with wrong, old, foreign and missing
 * tokens. Nothing of them may remain, and the rightful player always gets back.
 */
import { expect } from "chai";
import type { TestSocket } from "../../test/live/test-socket.ts";
import {
  createRandom,
  expectFigure,
  IS_SELF_TEST,
  printFigures,
  SEED,
  scaleCount,
  waitUntil,
} from "./support/drill.ts";
import { GameProcess, type GameSession, toAddress } from "./support/game-process.ts";
import type { GameStats } from "./support/game-server.ts";
import { computeMedianSlope, formatMb, listGrownCounts, toResourceCounts } from "./support/resources.ts";

const RECONNECTS = scaleCount(10_000);
/** The heap is measured after each wave. The first quarter fills caches. */
const WAVES = RECONNECTS < 2000 ? 4 : 20;
/** Reconnects per round: one by the player, and those that must fail. */
const RECONNECTS_PER_ROUND = 12;
const ROUNDS = Math.ceil(RECONNECTS / WAVES / RECONNECTS_PER_ROUND);
/** Allowed growth: what the running game records, and a little for each reconnect. */
const NOISE_BYTES = 1_500_000;
const BYTES_PER_RECONNECT = 60;
/** Unused sockets and timers end in this time, even on a busy machine. */
const IDLE_WITHIN_MS = 30_000;
const PLAYER_ADDRESS = toAddress(10_000_000);
/** Sends wrong tokens from one address, far more often than it may. */
const STUBBORN_ADDRESS = toAddress(10_000_001);
const random = createRandom(SEED);

const createWrongToken = (): string =>
  `ap_${Array.from({ length: 43 }, () => "ABCDEFGHIJ"[Math.floor(random() * 10)]).join("")}`;

interface Wave {
  readonly game: GameProcess;
  readonly session: GameSession;
  /** Valid for the play channel of another session, and for the spectate channel of this one. */
  readonly foreign: { readonly play: string; readonly spectate: string };
  readonly usedToken: string;
}

/** A reconnect that must fail, by the token that it presents, and the close codes that the service may use. */
interface Attempt {
  readonly name: string;
  readonly getToken: (wave: Wave) => string | Promise<string>;
  readonly closes: readonly string[];
  readonly address?: string;
}

const ATTEMPTS: readonly Attempt[] = [
  { name: "wrong", getToken: createWrongToken, closes: ["4002 TOKEN_NOT_FOUND"] },
  {
    name: "expired",
    getToken: ({ game, session }) => game.createToken("play", session, "expired"),
    // A newer token revokes it.
    closes: ["4003 TOKEN_EXPIRED", "4003 TOKEN_REVOKED"],
  },
  {
    name: "revoked",
    getToken: ({ game, session }) => game.createToken("play", session, "revoked"),
    closes: ["4003 TOKEN_REVOKED"],
  },
  { name: "of another session", getToken: ({ foreign }) => foreign.play, closes: ["4002 INVALID_TOKEN"] },
  { name: "of another role", getToken: ({ foreign }) => foreign.spectate, closes: ["4002 INVALID_TOKEN"] },
];

const USED_ATTEMPT: Attempt = {
  name: "used",
  getToken: ({ usedToken }) => usedToken,
  closes: ["4003 TOKEN_REPLAYED"],
};
const STUBBORN_ATTEMPT: Attempt = {
  name: "wrong, too often",
  getToken: createWrongToken,
  address: STUBBORN_ADDRESS,
  // 1006: rejected at the upgrade.
  closes: ["4002 TOKEN_NOT_FOUND", "4008 RATE_LIMITED", "1006 "],
};

describe("RECONNECT: reconnects with wrong, old, foreign and missing tokens", function () {
  this.timeout(1_800_000);
  let game: GameProcess;
  const outcomes = new Map<string, number>();
  /** Sockets that wait for the service to close them. */
  let pending: Promise<void>[] = [];

  before(async () => {
    game = await GameProcess.start(IS_SELF_TEST ? { DRILL_FAULT: process.env.DRILL_LEAK ?? "addresses" } : {});
  });
  after(() => game.stop());

  const count = (name: string, outcome: string): void => {
    const key = `${name}: ${outcome}`;
    outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
  };

  async function attempt(wave: Wave, { name, getToken, closes, address }: Attempt): Promise<void> {
    const token = await getToken(wave);
    const socket = game.socket("play", wave.session, "", address);
    socket.ws.once("open", () => socket.send({ t: "auth", token }));
    const joined = socket.waitForMessage(({ t }) => t === "hello").catch(() => socket.closed);
    const outcome = await Promise.race([socket.closed, joined]);
    expect(outcome, `a token that is ${name}`).to.include.keys("code", "reason");
    const { code, reason } = await socket.closed;
    expect(closes, `a token that is ${name}`).to.include(`${code} ${reason}`);
    count(name, `${code} ${reason}`);
  }

  /** Sends nothing, sends `auth` without a token, breaks the socket, and stays silent until the time limit. */
  async function attemptWithoutToken(wave: Wave): Promise<void> {
    const socket = await game.socket("play", wave.session).open();
    const choice = Math.floor(random() * 4);
    if (choice === 0) socket.ws.terminate();
    else if (choice === 1) socket.send({ t: "auth" });
    else if (choice === 2) socket.ws.close();
    const closed = socket.closed.then(({ code, reason }) => {
      const expected = ["1006 ", "4002 INVALID_TOKEN", "1005 ", "4001 AUTH_TIMEOUT"][choice];
      expect(`${code} ${reason}`, "no token").to.equal(expected);
      count("missing", expected!);
    });
    if (choice === 3) pending.push(closed);
    else await closed;
  }

  /** The player returns with a new token. Its old socket is gone, or still open as after a change of mobile network. */
  async function returnPlayer(session: GameSession, before: TestSocket | null) {
    if (before !== null && random() < 0.5) {
      before.ws.terminate();
      await before.closed;
    }
    const token = await game.createToken("play", session);
    const socket = await game.socket("play", session, "", PLAYER_ADDRESS).open();
    socket.send({ t: "auth", token });
    await socket.waitForHello();
    if (before !== null) await before.closed;
    return { socket, token };
  }

  async function runWave(session: GameSession, rounds: number, before: TestSocket | null): Promise<TestSocket> {
    const other = await game.open();
    const foreign = {
      play: await game.createToken("play", other),
      spectate: await game.createToken("spectate", session),
    };
    let player = await returnPlayer(session, before);
    for (let round = 0; round < rounds; round += 1) {
      const wave = { game, session, foreign, usedToken: player.token };
      // Before other tokens are created, which revoke this one.
      await attempt(wave, USED_ATTEMPT);
      await Promise.all([
        ...ATTEMPTS.map((one) => attempt(wave, one)),
        ...Array.from({ length: 3 }, () => attempt(wave, STUBBORN_ATTEMPT)),
        ...Array.from({ length: 2 }, () => attemptWithoutToken(wave)),
      ]);
      expect(player.socket.ws.readyState, "the player's socket").to.equal(1);
      player.socket.send({ t: "input", dir: "left", seq: round });
      await player.socket.frame(({ ackSeq }) => ackSeq === round);
      // As if the player returned once a second, the maximum for its address.
      await game.passSeconds(1);
      player = await returnPlayer(session, player.socket);
    }
    // The attempts of others have not used up the token.
    const owner = await game.socket("play", other).open();
    owner.send({ t: "auth", token: foreign.play });
    await owner.waitForHello();
    await game.end(other);
    await owner.closed;
    await Promise.all(pending);
    pending = [];
    return player.socket;
  }

  async function waitUntilIdle(expected: GameStats): Promise<GameStats> {
    let stats = await game.stats();
    const isIdle = async (): Promise<boolean> => {
      stats = await game.stats();
      return Object.keys(listGrownCounts(expected, stats)).length === 0;
    };
    await waitUntil("the counts are those of an idle server", isIdle, IDLE_WITHIN_MS).catch(() => {});
    return stats;
  }

  it("leave nothing behind, and the session's player always gets back", async () => {
    const session = await game.open();
    let player = await runWave(session, 1, null);
    const before = await waitUntilIdle(await game.stats());
    const samples: (readonly [number, number])[] = [];
    for (let wave = 1; wave <= WAVES; wave += 1) {
      player = await runWave(session, ROUNDS, player);
      const stats = await waitUntilIdle(before);
      expect(listGrownCounts(before, stats), `what wave ${wave} left`).to.deep.equal({});
      if (wave > WAVES / 4) samples.push([wave * ROUNDS * RECONNECTS_PER_ROUND, stats.heapBytes]);
    }
    const after = await game.stats();
    const slope = computeMedianSlope(samples);
    const reconnects = WAVES * ROUNDS * RECONNECTS_PER_ROUND;
    const allowed = BYTES_PER_RECONNECT + NOISE_BYTES / reconnects;
    printFigures({
      reconnects,
      "of the player": WAVES * ROUNDS,
      heap: `${formatMb(before.heapBytes)} -> ${formatMb(samples[0]![1])} -> ${formatMb(after.heapBytes)}`,
      slope: `${slope.toFixed(0)} bytes a reconnect (at most ${allowed.toFixed(0)})`,
      buckets: `${before.buckets} -> ${after.buckets}`,
      left: JSON.stringify(toResourceCounts(after)),
    });
    printFigures({ outcomes: JSON.stringify(Object.fromEntries(outcomes)) });
    expectFigure(() => expect(slope, "bytes a reconnect").to.be.below(allowed));
    expect(after.buckets, "buckets of the limiter").to.be.below(1000);
    expect(outcomes.get("wrong, too often: 4008 RATE_LIMITED"), "the limit of failed tokens").to.be.greaterThan(0);
    await player.close();
  });
});
