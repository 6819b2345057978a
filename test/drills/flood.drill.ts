/**
 * E2b: floods that stay within the protocol, one after the other, with the limits on. A ranked game beside them keeps
 * its ticks, and another player can start a game.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { sendRequest } from "../helpers/suite.ts";
import { TestSocket } from "../live/test-socket.ts";
import { IS_SELF_TEST, printFigures, scaleCount, sleep } from "./support/drill.ts";

/** `DRILL_FLOODS` names some of them. */
const FLOODS = (process.env.DRILL_FLOODS ?? "pings pongs invalid-tokens silent half-sent practice").split(" ");
const FLOOD_MS = scaleCount(10_000);
const TICK_HZ = 20;

interface FloodServer {
  readonly httpUrl: string;
  readonly sessionId: string;
  readonly playToken: string;
  readonly wsUrl: string;
}

const getPath = (name: string): string => fileURLToPath(new URL(`./support/${name}.ts`, import.meta.url));

describe("E2b: floods within the protocol", function () {
  this.timeout(300_000);
  const children: ChildProcess[] = [];
  let server: FloodServer;
  let player: TestSocket;
  /** Without load: shows how much the machine itself delays ticks at the same time. */
  let control: FloodServer;

  async function startServer(env: { readonly [name: string]: string }): Promise<FloodServer> {
    const child = fork(getPath("flood-server"), [], { env: { ...process.env, ...env } });
    children.push(child);
    const [started] = (await once(child, "message")) as [FloodServer];
    return started;
  }
  async function join({ wsUrl, playToken }: FloodServer): Promise<TestSocket> {
    const socket = await new TestSocket(wsUrl).open();
    socket.send({ t: "auth", token: playToken });
    await socket.frame(({ phase }) => phase === "running");
    return socket;
  }

  before(async () => {
    [server, control] = [await startServer(IS_SELF_TEST ? { DRILL_PLANT: "unlimited" } : {}), await startServer({})];
    await join(control);
    player = await join(server);
    await sleep(1000);
  });
  after(async () => {
    for (const child of children) child.kill("SIGKILL");
  });

  const getTick = (): number => player.getFrames().at(-1)!.tick;
  /** Whether a player at another address can start and join a game while the flood goes on. */
  async function canStart(): Promise<boolean> {
    const { status, body } = await sendRequest(server.httpUrl, "POST", "/api/games/shellrunners/sessions/start", {
      body: { source: "browser_ws" },
    });
    if (status !== 200) return false;
    const socket = await new TestSocket(body.wsUrl).open();
    socket.send({ t: "auth", token: body.playToken });
    await socket.waitForHello();
    await sendRequest(server.httpUrl, "POST", `/api/games/shellrunners/sessions/${body.sessionId}/end`, {
      token: body.practiceToken,
    });
    return true;
  }

  const readP99Ms = async ({ httpUrl }: FloodServer): Promise<number> =>
    (await sendRequest(httpUrl, "GET", "/status")).body.ticks.lateP99Ms;
  /** Ticks of the service's games that were made, and that were dropped after stalls. */
  async function readTicks(): Promise<{ readonly count: number; readonly dropped: number }> {
    return (await sendRequest(server.httpUrl, "GET", "/status")).body.ticks;
  }

  /** The share of their ticks that the games made during a flood, by the service's own count. */
  async function runFlood(kind: string): Promise<{ readonly share: number; readonly started: boolean }> {
    const before = await readTicks();
    const flood = fork(getPath("flood-client"), [kind, server.httpUrl, server.sessionId]);
    children.push(flood);
    await sleep(500);
    const started = canStart().catch(() => false);
    await sleep(FLOOD_MS);
    const hasStarted = await Promise.race([started, sleep(5000).then(() => false)]);
    flood.kill("SIGKILL");
    await sleep(1000);
    const { count, dropped } = await readTicks();
    const made = count - before.count;
    return { share: made / (made + dropped - before.dropped), started: hasStarted };
  }

  it("a ranked game keeps its ticks and another player gets in", async () => {
    const startedMs = performance.now();
    const startTick = getTick();
    const results: { readonly [kind: string]: Awaited<ReturnType<typeof runFlood>> } = Object.fromEntries(
      await FLOODS.reduce<Promise<[string, Awaited<ReturnType<typeof runFlood>>][]>>(
        async (done, kind) => [...(await done), [kind, await runFlood(kind)]],
        Promise.resolve([]),
      ),
    );
    const share = (getTick() - startTick) / (((performance.now() - startedMs) / 1000) * TICK_HZ);
    const p99Ms = [await readP99Ms(control), await readP99Ms(server)] as const;
    printFigures({
      "the ranked game": `${(share * 100).toFixed(1)} % of its ticks`,
      ...Object.fromEntries(
        Object.entries(results).map(([kind, { share: shareOfAll, started }]) => [
          kind,
          `${(shareOfAll * 100).toFixed(1)} % of all ticks, ${started ? "another player got in" : "NO other player got in"}`,
        ]),
      ),
      "p99 without load and here": `${p99Ms.map((ms) => ms.toFixed(1)).join(" and ")} ms`,
    });
    for (const [kind, { share: shareOfAll, started }] of Object.entries(results)) {
      expect(shareOfAll, `ticks during ${kind}`).to.be.at.least(0.98);
      expect(started, `another player during ${kind}`).to.equal(true);
    }
    expect(share, "ticks of the ranked game").to.be.at.least(0.98);
    expect(p99Ms[1] - p99Ms[0], "the player's ticks").to.be.below(12.5);
  });
});
