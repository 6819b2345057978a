/**
 * E2b: floods that stay within the protocol, one after the other, with the limits on. A ranked game beside them keeps
 * its ticks, and another player can start a game.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { sendRequest } from "../../test/helpers/suite.ts";
import { TestSocket } from "../../test/live/test-socket.ts";
import { IS_SELF_TEST, printFigures, scaleCount, sleep } from "./support/drill.ts";
import type { FloodCommand, FloodMeasurement } from "./support/flood-server.ts";

/** `DRILL_FLOODS` selects some of them. */
const FLOODS = (process.env.DRILL_FLOODS ?? "pings pongs invalid-tokens silent half-sent practice").split(" ");
const FLOOD_MS = scaleCount(10_000);
const TICK_HZ = 20;

interface FloodServer {
  readonly child: ChildProcess;
  readonly httpUrl: string;
  readonly sessionId: string;
  readonly playToken: string;
  readonly wsUrl: string;
}

interface FloodResult {
  /** The share of ticks that all games made in the untouched process, and in the flooded one. */
  readonly quietShare: number;
  readonly share: number;
  /** Whether another player could start a game. */
  readonly started: boolean;
  /** Frames, requests or connections of the flood. */
  readonly sent: number;
  /** The untouched process and the flooded one, at the same time. */
  readonly quiet: FloodMeasurement;
  readonly flooded: FloodMeasurement;
}

interface TickCounts {
  readonly count: number;
  readonly dropped: number;
}

function computeShare(before: TickCounts, after: TickCounts): number {
  const made = after.count - before.count;
  return made / (made + after.dropped - before.dropped);
}

const formatResult = ({ quietShare, share, started, sent, quiet, flooded }: FloodResult): string =>
  [
    `ticks ${(quietShare * 100).toFixed(1)} and ${(share * 100).toFixed(1)} %`,
    started ? "another player got in" : "NO other player got in",
    `event loop p99 ${quiet.p99Ms.toFixed(1)} and ${flooded.p99Ms.toFixed(1)} ms`,
    `longest block ${quiet.maxMs.toFixed(0)} and ${flooded.maxMs.toFixed(0)} ms`,
    `processor ${quiet.cpuMs.toFixed(0)} and ${flooded.cpuMs.toFixed(0)} ms`,
    `${sent} frames, requests or connections offered`,
  ].join("; ");

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
    return { ...started, child };
  }
  async function join({ wsUrl, playToken }: FloodServer): Promise<TestSocket> {
    const socket = await new TestSocket(wsUrl).open();
    socket.send({ t: "auth", token: playToken });
    await socket.frame(({ phase }) => phase === "running");
    return socket;
  }

  before(async () => {
    [server, control] = [await startServer(IS_SELF_TEST ? { DRILL_FAULT: "unlimited" } : {}), await startServer({})];
    await join(control);
    player = await join(server);
    await sleep(1000);
  });
  after(async () => {
    for (const child of children) child.kill("SIGKILL");
  });

  async function measure(one: FloodServer, order: FloodCommand["order"], name: string): Promise<FloodMeasurement> {
    one.child.send({ order, name } satisfies FloodCommand);
    return (await once(one.child, "message"))[0] as FloodMeasurement;
  }
  const getTick = (): number => player.getFrames().at(-1)!.tick;
  /** Whether a player at another address can start and join a game during the flood. */
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
  /** The ticks of a service's games that were made, and those dropped after stalls. */
  async function readTicks({ httpUrl }: FloodServer): Promise<TickCounts> {
    return (await sendRequest(httpUrl, "GET", "/status")).body.ticks;
  }

  /** The share of their ticks that the games made during a flood, as the service counts them. */
  async function runFlood(kind: string): Promise<FloodResult> {
    const servers = [control, server] as const;
    const before = await Promise.all(servers.map(readTicks));
    await measure(control, "reset", kind);
    await measure(server, "reset", kind);
    const flood = fork(getPath("flood-client"), [kind, server.httpUrl, server.sessionId]);
    let operations = 0;
    flood.on("message", (count: number) => {
      operations = count;
    });
    children.push(flood);
    await sleep(500);
    const started = canStart().catch(() => false);
    await sleep(FLOOD_MS);
    const quiet = await measure(control, "read", `${kind}-control`);
    const flooded = await measure(server, "read", kind);
    const hasStarted = await Promise.race([started, sleep(5000).then(() => false)]);
    flood.kill("SIGKILL");
    await sleep(1000);
    const after = await Promise.all(servers.map(readTicks));
    const [quietShare, share] = after.map((ticks, index) => computeShare(before[index]!, ticks));
    return { quietShare: quietShare!, share: share!, started: hasStarted, sent: operations, quiet, flooded };
  }

  it("a ranked game keeps its ticks and another player gets in", async () => {
    const startedMs = performance.now();
    const startTick = getTick();
    const startTicks = await readTicks(control);
    const results: { readonly [kind: string]: FloodResult } = Object.fromEntries(
      await FLOODS.reduce<Promise<[string, FloodResult][]>>(
        async (done, kind) => [...(await done), [kind, await runFlood(kind)]],
        Promise.resolve([]),
      ),
    );
    const share = (getTick() - startTick) / (((performance.now() - startedMs) / 1000) * TICK_HZ);
    const quietShare = computeShare(startTicks, await readTicks(control));
    const p99Ms = [await readP99Ms(control), await readP99Ms(server)] as const;
    printFigures({
      "the untouched game and the ranked one": `${(quietShare * 100).toFixed(1)} and ${(share * 100).toFixed(1)} % of their ticks`,
      "p99 without load and here": `${p99Ms.map((ms) => ms.toFixed(1)).join(" and ")} ms`,
    });
    for (const [kind, result] of Object.entries(results)) printFigures({ [kind]: formatResult(result) });
    for (const [kind, { share: shareOfAll, started }] of Object.entries(results)) {
      expect(shareOfAll, `ticks during ${kind}`).to.be.at.least(0.98);
      expect(started, `another player during ${kind}`).to.equal(true);
    }
    expect(share, "ticks of the ranked game").to.be.at.least(0.98);
    expect(p99Ms[1] - p99Ms[0], "the player's ticks").to.be.below(12.5);
  });
});
