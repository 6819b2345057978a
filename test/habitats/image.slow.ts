/** The image's files in their target environment: another user, read-only, without a home, behind a balancer. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { WebSocket } from "ws";
import { findFreePort } from "../../scripts/fleet/free-port.ts";
import { makeImageTree } from "../helpers/image-tree.ts";
import { describeBetween, type RunningProgram, startHaproxy, startPgBouncer } from "../helpers/in-between.ts";
import { startNats } from "../helpers/nats.ts";
import { startPostgres } from "../helpers/postgres.ts";
import { startTestStack } from "../helpers/suite.ts";
import { waitUntil } from "../helpers/wait-until.ts";

/** An unassigned user id in group 0, like those of OpenShift. */
const USER_ID = 1_000_680_000;

/** Like a balancer that keeps idle connections for 60 s, and uses them for other clients. */
const toBalancerConfig = (backendPort: number) => (port: number) =>
  [
    "defaults",
    "  mode http",
    "  option forwardfor",
    "  timeout connect 2s",
    "  timeout client 60s",
    "  timeout server 60s",
    "  timeout http-keep-alive 60s",
    "  timeout tunnel 1h",
    "frontend arcade",
    `  bind 127.0.0.1:${port}`,
    "  default_backend backends",
    "backend backends",
    "  http-reuse always",
    `  server backend 127.0.0.1:${backendPort}`,
    "",
  ].join("\n");

describeBetween("the image's files", () => {
  const stops: (() => Promise<unknown>)[] = [];
  let folder: string;
  let app: string;
  let env: Record<string, string>;
  let backend: ChildProcess;
  let balancer: RunningProgram;
  let log = "";
  const isRoot = process.getuid?.() === 0;
  /** If the test does not run as root, the files are read-only for its user. */
  const asUser = isRoot ? ["setpriv", `--reuid=${USER_ID}`, "--regid=0", "--clear-groups", "--no-new-privs"] : [];
  const inImage = (...args: readonly string[]) =>
    [...asUser, join(folder, "node"), "scripts/run.mjs", ...args] as const;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "arcade-image-"));
    app = join(folder, "app");
    const data = join(folder, "data");
    chmodSync(folder, 0o755);
    for (const path of [app, data]) mkdirSync(path);
    if (isRoot) chownSync(data, USER_ID, 0);
    copyFileSync(process.execPath, join(folder, "node"));
    await makeImageTree(app);
    const [stack, postgres, nats] = await Promise.all([startTestStack(), startPostgres(), startNats()]);
    stops.push(
      () => stack.close(),
      () => postgres.stop(),
      () => nats.stop(),
    );
    const pooler = await startPgBouncer(await postgres.createDatabase(), [
      "pool_mode = session",
      "default_pool_size = 60",
    ]);
    stops.push(() => pooler.stop());
    const deployment = join(folder, "deployment.json");
    writeFileSync(deployment, JSON.stringify(stack.deployment), { mode: 0o644 });
    const port = await findFreePort();
    balancer = await startHaproxy(toBalancerConfig(port));
    stops.push(() => balancer.stop());
    env = {
      PATH: "/usr/bin:/bin",
      // The system's temporary folder is part of the read-only disk.
      TMPDIR: "/nowhere",
      NODE_ENV: "production",
      ARCADE_DATA_DIR: data,
      ARCADE_HOST: "0.0.0.0",
      ARCADE_PORT: String(port),
      ARCADE_TRUST_PROXY: "true",
      ARCADE_RPC_URL: stack.chain.rpcUrl,
      ARCADE_DEPLOYMENT: deployment,
      ARCADE_DATABASE_URL: `postgres://postgres@127.0.0.1:${pooler.port}/arcade`,
      ARCADE_NATS_URL: nats.url,
      ARCADE_SERVICE_HOST: "10.96.31.7",
      ARCADE_SERVICE_PORT: "80",
      ARCADE_RPC_PORT: "tcp://10.96.0.4:8545",
    };
    const [program, ...args] = inImage("serve");
    backend = spawn(program!, args, { cwd: app, env, stdio: ["ignore", "ignore", "pipe"] });
    backend.stderr!.on("data", (text) => {
      log += text;
    });
    await waitUntil(async () => {
      if (backend.exitCode !== null) throw new Error(log);
      return (await fetch(`${getUrl()}/readyz`).catch(() => null))?.status === 200;
    });
  });
  after(async () => {
    backend?.kill("SIGKILL");
    for (const stop of stops.reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const getUrl = () => `http://127.0.0.1:${balancer.port}`;
  const post = async (path: string, body: object) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    return (await fetch(`${getUrl()}${path}`, init)).json() as Promise<{ readonly [name: string]: string }>;
  };

  it("serve the site that was built into them", async () => {
    const page = await fetch(getUrl(), { headers: { accept: "text/html" } });
    expect(page.status).to.equal(200);
    const script = /src="([^"]+\.js)"/.exec(await page.text())![1]!;
    expect((await fetch(`${getUrl()}${script}`)).status).to.equal(200);
  });

  it("draw pictures", async () => {
    const response = await fetch(`${getUrl()}/pictures/games/flappybots.png`);
    expect(response.status, log).to.equal(200);
    expect(response.headers.get("content-type")).to.equal("image/png");
  });

  it("keep a connection for longer than the balancer does", async () => {
    const answer = await fetch(`http://127.0.0.1:${env.ARCADE_PORT}/healthz`);
    expect(Number(/timeout=(\d+)/.exec(answer.headers.get("keep-alive")!)![1])).to.be.greaterThan(60);
  });

  it("run a game through the balancer", async () => {
    const { sessionId, playToken } = await post("/api/games/flappybots/sessions/start", { source: "browser_ws" });
    const socket = new WebSocket(`${getUrl().replace("http", "ws")}/ws/flappybots/play?sessionId=${sessionId}`);
    const messages: string[] = [];
    socket.on("open", () => socket.send(JSON.stringify({ t: "auth", token: playToken })));
    socket.on("message", (message) => messages.push(JSON.parse(message.toString()).t));
    await waitUntil(() => messages.length > 5);
    socket.terminate();
    expect(messages.slice(0, 2)).to.deep.equal(["hello", "frame"]);
  });

  it("start the server of /mcp without a temporary folder", async () => {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const answer = await fetch(`http://localhost:${env.ARCADE_PORT}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify(call),
    });
    expect(answer.status).to.equal(200);
  });

  for (const args of [
    ["admin", "keys", "status"],
    ["doctor", "--help"],
    ["deploy", "--help"],
    ["verify", "--help"],
  ])
    it(`include the operator's command: ${args.join(" ")}`, async () => {
      const [program, ...rest] = inImage(...args);
      const { stdout } = await promisify(execFile)(program!, rest, { cwd: app, env });
      expect(stdout).to.match(/\w/);
    });

  it("stop in order on SIGTERM", async () => {
    const code = new Promise((resolve) => backend.once("exit", resolve));
    backend.kill("SIGTERM");
    expect(await code, log).to.equal(0);
    expect(log).not.to.match(/EACCES|EROFS|"level":(50|60)/);
  });
});
