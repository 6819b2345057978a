import { expect } from "chai";
import { type App, startApp } from "../../backend/app/app.ts";
import { readConfig, readSecrets } from "../../backend/config/config.ts";
import { getServiceKeys } from "../../backend/config/service-keys.ts";
import { playSession } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { findFreePort } from "../../scripts/fleet/free-port.ts";
import { createAgent } from "../../testing/player.ts";
import { silentLog, waitFor } from "../adapters/chain/chain-fixture.ts";
import { sendRequest, startTestStack, type TestStack } from "../helpers/suite.ts";
import { waitUntil } from "../helpers/wait-until.ts";

const SLUG = "shellrunners";

describe("a second backend on one database", () => {
  let stack: TestStack;
  let second: Promise<App> | null = null;
  before(async () => {
    stack = await startTestStack();
  });
  after(async () => {
    await (await second)?.close();
    await stack.close();
  });

  const startSecond = (port: number): Promise<App> => {
    const environment = { ARCADE_DATA_DIR: stack.dataDir, ARCADE_PORT: String(port), ARCADE_DEMO_AGENTS: "off" };
    return startApp({
      config: readConfig(environment),
      keys: getServiceKeys(readSecrets(environment)),
      rpcUrl: stack.chain.rpcUrl,
      deployment: stack.deployment,
      log: silentLog,
      webDir: null,
    });
  };

  it("waits as a standby, does not touch the running games, and continues them when the first one ends", async () => {
    const player = await createAgent(stack);
    const session = await player.client.sessions.start({ slug: SLUG, source: "agent_api" });
    const bot = findGame(SLUG)!.bots.reference();
    const leave = new AbortController();
    const seen = { tick: 0, score: 0 };
    const game = playSession({
      client: player.client,
      session,
      bot,
      signal: leave.signal,
      onFrame: (frame) => {
        seen.tick = frame.tick;
        seen.score = frame.score.current;
      },
    });
    game.catch(() => undefined);
    const playOn = (): Promise<void> => {
      const { tick } = seen;
      return waitUntil(() => seen.tick >= tick + 20);
    };
    await playOn();

    // It frees the port and binds it again when it takes over.
    const port = await findFreePort();
    const standbyUrl = `http://127.0.0.1:${port}`;
    second = startSecond(port);
    let isReady = false;
    second.then(
      () => {
        isReady = true;
      },
      () => undefined,
    );
    const readReadiness = () => sendRequest(standbyUrl, "GET", "/readyz").catch(() => null);
    let readiness = await readReadiness();
    while (readiness === null && !isReady) readiness = await readReadiness();
    expect(readiness).to.include({ status: 503 });
    expect(readiness!.body.checks[0]).to.include({ name: "lease", ok: false });
    expect(readiness!.body.checks[0].sentence).to.include(`process ${process.pid}`);
    expect((await sendRequest(standbyUrl, "GET", "/healthz")).status).to.equal(200);
    const rejected = await sendRequest(standbyUrl, "POST", `/api/games/${SLUG}/sessions/start`, { body: {} });
    expect(rejected.status).to.equal(503);
    expect(rejected.body).to.include({ code: "STORAGE_BUSY", retryable: true });
    expect(rejected.headers.get("retry-after")).to.equal("1");

    await playOn();
    expect(isReady).to.equal(false);
    const { session: running } = await player.client.sessions.get({ slug: SLUG, sessionId: session.sessionId });
    expect(running.phase).to.equal("running");

    leave.abort(new Error("left"));
    await stack.app.close();
    const app = await second;
    expect(app.httpUrl).to.equal(standbyUrl);
    await waitFor(async () => (await sendRequest(app.httpUrl, "GET", "/readyz")).status === 200);
    const path = `/api/games/${SLUG}/sessions/${session.sessionId}`;
    const continued = await sendRequest(app.httpUrl, "GET", path);
    expect(continued.body.session.phase).to.equal("paused");
    // A tick may have followed the last frame that the player saw.
    const { score: kept } = continued.body.session;
    expect(kept).to.be.at.least(seen.score);
    const token = await player.getAccessToken();
    const ended = await sendRequest(app.httpUrl, "POST", `${path}/end`, { token, body: {} });
    expect(ended.body.session).to.include({ phase: "ended", endReason: "ended_by_player", score: kept });
  });
});
