/**
 * H1: the service's wall clock jumps by ten minutes forward, ten minutes back, and two days forward, and is put right
 * again, while agents play; clients have clocks that are a day wrong. What must hold: ticks keep their pace, nothing
 * that has expired is accepted again, and nothing stops.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { findGame } from "../../games/index.ts";
import { createAnvilAgent } from "../../test/helpers/anvil-agent.ts";
import { type AnvilChain, startAnvilChain } from "../../test/helpers/anvil-stack.ts";
import { type ContinuousPlayer, startContinuousPlayer } from "../../test/helpers/continuous-player.ts";
import { sendRequest } from "../../test/helpers/suite.ts";
import { TestSocket } from "../../test/live/test-socket.ts";
import { startAnvilServer } from "./support/anvil-server.ts";
import { expectFigure, IS_FULL_RUN, printFigures, scaleCount, sleep, waitUntil } from "./support/drill.ts";
import type { BackendProcess } from "./support/process.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const WATCH_MS = scaleCount(30_000);
const PLAYERS = 2;
const SLUG = "shellrunners";
const TICK_HZ = findGame(SLUG)!.tickHz;
/** A burst of overdue ticks would give far more, a stop far fewer; a busy machine gives slightly fewer. */
const PACE = { min: 0.5, max: 1.1 } as const;
const GAME = `/api/games/${SLUG}`;
/** Expired tokens are removed after a day, and are then unknown. */
const OLD_TOKEN = ["TOKEN_EXPIRED", "TOKEN_INVALID"];
const OLD_NONCE = ["NONCE_EXPIRED", "NONCE_USED", "NONCE_INVALID"];

/** A short run has only the first: a jump forward and, when it is corrected, one back. */
const JUMPS = [
  { name: "ten minutes forward", shiftMs: 10 * MINUTE_MS },
  { name: "two days forward", shiftMs: 2 * DAY_MS },
  { name: "ten minutes back", shiftMs: -10 * MINUTE_MS },
] as const;
const CHOSEN = IS_FULL_RUN ? JUMPS : JUMPS.slice(0, 1);
const CLIENT_SKEWS_MS = IS_FULL_RUN ? [DAY_MS, -DAY_MS] : [];

interface SignIn {
  readonly message: string;
  readonly signature: string;
}

describe("H1: clocks that jump", function () {
  this.timeout(600_000);
  let chain: AnvilChain;
  let server: BackendProcess;
  let players: ContinuousPlayer[];
  let shiftFile: string;

  before(async () => {
    chain = await startAnvilChain();
    shiftFile = join(chain.dataDir, "shift");
  });
  after(() => chain?.close());
  beforeEach(async () => {
    players = [];
    rmSync(`${shiftFile}.seen`, { force: true });
    writeShift(0);
    const env = { DRILL_CLOCK_FILE: shiftFile };
    server = await startAnvilServer(chain, { fault: "raw-clock", env });
    for (let count = 0; count < PLAYERS; count += 1) {
      const { client } = await createAnvilAgent(chain, server.httpUrl);
      players.push(await startContinuousPlayer(client, SLUG));
    }
  });
  afterEach(async () => {
    await Promise.all(players.map((player) => player.stop().catch(() => undefined)));
    server?.kill("SIGKILL");
    await server?.exited;
  });

  /** Uses a rename, so that the service never reads a partial number. */
  function writeShift(ms: number): void {
    writeFileSync(`${shiftFile}.new`, String(ms));
    renameSync(`${shiftFile}.new`, shiftFile);
  }
  function readSeen(): string | null {
    try {
      return readFileSync(`${shiftFile}.seen`, "utf8");
    } catch {
      return null;
    }
  }
  /** Resolves when the service's clock has jumped. */
  async function jump(ms: number): Promise<void> {
    writeShift(ms);
    await waitUntil("the service's clock jumps", () => readSeen() === String(ms));
  }
  const post = (path: string, body: object = {}, token?: string) =>
    sendRequest(server.httpUrl, "POST", path, { body, ...(token === undefined ? {} : { token }) });

  async function prepareSignIn(): Promise<SignIn> {
    const account = privateKeyToAccount(generatePrivateKey());
    const { body } = await post(`${GAME}/auth/nonce`, { walletAddress: account.address });
    return { message: body.message, signature: await account.signMessage({ message: body.message }) };
  }
  const verify = async (signIn: SignIn) => (await post(`${GAME}/auth/verify`, signIn)).body;
  const getCode = ({ code }: { readonly code?: string }): string => code ?? "accepted";
  const readSession = (token: string) => sendRequest(server.httpUrl, "GET", `${GAME}/auth/session`, { token });

  /** Why the channel is closed to a token. */
  async function connect({ wsUrl, playToken }: { readonly wsUrl: string; readonly playToken: string }) {
    const socket = await new TestSocket(wsUrl).open();
    socket.send({ t: "auth", token: playToken });
    return (await socket.closed).reason;
  }

  /** Plays for a while. Every player's ticks must keep their pace. */
  async function watchTicks(what: string): Promise<void> {
    const before = players.map(({ state }) => state.ticks);
    const startedMs = performance.now();
    await Promise.all(players.map((player) => player.nextTick()));
    await sleep(WATCH_MS);
    const expected = ((performance.now() - startedMs) / 1000) * TICK_HZ;
    const ticks = players.map(({ state }, index) => state.ticks - before[index]!);
    printFigures({ [what]: `${ticks.join(" and ")} of ${expected.toFixed(0)} ticks` });
    expect(
      players.map(({ state }) => state.jumps),
      `${what}: missed frames`,
    ).to.deep.equal(players.map(() => 0));
    const endings = players.flatMap(({ state }) => [...state.endings]);
    expect(
      endings.filter((reason) => reason !== "lives_lost"),
      what,
    ).to.deep.equal([]);
    const [least, most] = [expected * PACE.min, expected * PACE.max + TICK_HZ];
    expectFigure(() => expect(Math.max(...ticks), `${what}: ticks`).to.be.within(least, most));
  }

  async function expectFreshSignIn(what: string): Promise<void> {
    const tokens = await verify(await prepareSignIn());
    expect(getCode(tokens), `${what}: a fresh sign-in`).to.equal("accepted");
    expect((await readSession(tokens.accessToken)).status, `${what}: its token`).to.equal(200);
  }

  for (const { name, shiftMs } of CHOSEN.filter((jump) => jump.shiftMs > 0))
    it(`${name}, and put right: what has expired stays expired, and games continue`, async () => {
      const [tried, untried] = [await prepareSignIn(), await prepareSignIn()];
      const tokens = await verify(await prepareSignIn());
      // Never refreshed, since a refresh ends the token that it replaces.
      const kept = await verify(await prepareSignIn());
      const practice = (await post(`${GAME}/sessions/start`, { source: "browser_ws" })).body;
      await jump(shiftMs);
      await watchTicks(name);
      expect(getCode(await verify(tried)), "an old nonce").to.be.oneOf(OLD_NONCE);
      expect(await connect(practice), "an old play token").to.equal("TOKEN_EXPIRED");
      const isTokenOld = shiftMs > DAY_MS;
      const accessCode = getCode((await readSession(tokens.accessToken)).body);
      expect(accessCode, "the access token").to.be.oneOf(isTokenOld ? OLD_TOKEN : ["accepted"]);
      const refreshed = await post(`${GAME}/auth/refresh`, { refreshToken: tokens.refreshToken });
      expect(refreshed.status, "the refresh token").to.equal(200);
      await expectFreshSignIn(name);

      await jump(0);
      await watchTicks(`${name}, put right`);
      expect(getCode(await verify(tried)), "an old nonce, again").to.be.oneOf(OLD_NONCE);
      expect(getCode(await verify(untried)), "an old nonce, for the first time").to.be.oneOf(OLD_NONCE);
      if (isTokenOld)
        expect(getCode((await readSession(kept.accessToken)).body), "the old token").to.be.oneOf(OLD_TOKEN);
      expect((await readSession(refreshed.body.accessToken)).status, "the new token").to.equal(200);
      await expectFreshSignIn(`${name}, put right`);
    });

  for (const { name, shiftMs } of CHOSEN.filter((jump) => jump.shiftMs < 0))
    it(`${name}: nothing becomes valid again, nothing stops, and games continue`, async () => {
      const open = await prepareSignIn();
      const tokens = await verify(await prepareSignIn());
      await jump(shiftMs);
      await watchTicks(name);
      expect(getCode(await verify(open)), "a nonce that is seconds old").to.equal("accepted");
      expect((await readSession(tokens.accessToken)).status, "the access token").to.equal(200);
      await expectFreshSignIn(name);
      await jump(0);
      await expectFreshSignIn("put right");
      await Promise.all(players.map((player) => player.nextTick()));
    });

  for (const skewMs of CLIENT_SKEWS_MS)
    it(`a client whose clock is a day ${skewMs > 0 ? "ahead" : "behind"} registers, signs in, plays and reads`, async () => {
      const { now } = Date;
      Date.now = () => now() + skewMs;
      try {
        const agent = await createAnvilAgent(chain, server.httpUrl);
        const player = await startContinuousPlayer(agent.client, SLUG);
        while (player.state.ticks < TICK_HZ) await player.nextTick();
        await player.stop();
        expect((await agent.client.rewards.scorebank({})).score).to.equal(0);
      } finally {
        Date.now = now;
      }
    });
});
