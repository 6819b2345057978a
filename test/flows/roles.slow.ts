import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect as connectToNats, type NatsConnection } from "@nats-io/transport-node";
import { expect } from "chai";
import { WebSocket } from "ws";
import { type ArcadeClient, playSession, registerAgent, snapshotScore } from "../../client/index.ts";
import type { Role } from "../../domain/roles.ts";
import { findGame } from "../../games/index.ts";
import { fund, makeDrillAgent } from "../../lab/drills/support/agent.ts";
import type { ArcadeProcess, BackendProcess } from "../../lab/drills/support/process.ts";
import { type RoleBalancer, startRoleBalancer } from "../helpers/role-balancer.ts";
import { useTestFleet } from "../helpers/test-fleet.ts";
import { NoPointsError, untilPoints } from "../helpers/until-points.ts";
import { waitUntil } from "../helpers/wait-until.ts";

const SLUG = "flappybots";
const FLOOD_REQUESTS = 200;
const ROLES_WITHOUT_API = ["live", "edge", "chain"] as const;

/** The tests wait for conditions. If one is never met, the timeout ends them. */
describe("four servers with one role each", () => {
  let observer: NatsConnection;
  let balancer: RoleBalancer;
  after(async () => {
    await observer?.close();
    await balancer?.close();
  });
  const getFleet = useTestFleet();
  let chain: ArcadeProcess;
  let live: BackendProcess;
  const urls: Record<Role, string> = { api: "", live: "", edge: "", chain: "" };
  before(async () => {
    const fleet = getFleet();
    balancer = await startRoleBalancer();
    observer = await connectToNats({ servers: fleet.nats.url });
    const toSettings = (role: Role) => ({ ARCADE_PUBLIC_URL: balancer.url, ARCADE_ROLES: role });
    chain = await fleet.startFirst(toSettings("chain"));
    live = await fleet.startOther(toSettings("live"));
    urls.chain = chain.ready.httpUrl;
    urls.live = live.httpUrl;
    for (const role of ["edge", "api"] as const) urls[role] = (await fleet.startOther(toSettings(role))).httpUrl;
    Object.assign(balancer.servers, urls);
  });

  const connect = () => makeDrillAgent().connect({ httpUrl: balancer.url, rpcUrl: chain.ready.rpcUrl });
  const readMetrics = async (role: Role): Promise<readonly string[]> =>
    (await (await fetch(`${urls[role]}/metrics`)).text()).split("\n");
  /** The sum of a metric over its labels. */
  const readSum = async (role: Role, name: string): Promise<number> =>
    (await readMetrics(role))
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  const startPractice = (client: ArcadeClient) => client.sessions.start({ slug: SLUG, source: "browser_ws" });

  async function watch(client: ArcadeClient, sessionId: string): Promise<{ readonly texts: string[] }> {
    const { token, wsUrl } = await client.sessions.spectateTokenPublic({ slug: SLUG, sessionId });
    const ws = new WebSocket(wsUrl, { perMessageDeflate: false });
    const texts: string[] = [];
    ws.on("message", (data) => texts.push(String(data)));
    await once(ws, "open");
    ws.send(JSON.stringify({ t: "auth", token }));
    return { texts };
  }

  async function playToChain(): Promise<void> {
    const agent = makeDrillAgent();
    await fund({ httpUrl: balancer.url }, agent.address);
    const client = agent.connect({ httpUrl: balancer.url, rpcUrl: chain.ready.rpcUrl });
    await registerAgent({ client, agentName: "Specialist" });
    const session = await client.sessions.start({ slug: SLUG, source: "agent_api" });
    const { sessionId } = session;
    for (const role of ["api", "edge", "chain"] as const)
      expect(await readSum(role, "arcade_sessions_live")).to.equal(0);
    expect(await readSum("live", "arcade_sessions_live")).to.equal(1);
    const viewer = await watch(client, sessionId);
    let score = 0;
    const end = playSession({
      client,
      session,
      bot: findGame(SLUG)!.bots.reference(),
      onFrame: (frame) => {
        score = frame.score.current;
      },
    });
    end.catch(() => undefined);
    await Promise.race([waitUntil(() => score > 0 && viewer.texts.length > 20), end]);
    await client.sessions.end({ slug: SLUG, sessionId });
    const { score: scoreDelta, endReason } = await end;
    if (scoreDelta === 0) throw new NoPointsError(endReason);
    expect(await snapshotScore({ client, sessionId })).to.include({ mode: "recorded", scoreDelta });
    await waitUntil(() => viewer.texts.at(-1)!.includes('"t":"end"'));
    expect(new Set(balancer.passed)).to.deep.equal(new Set(["api", "live", "edge"]));
    // Only the node with the role has stored blocks of the chain's events.
    await waitUntil(async () => (await readSum("chain", "arcade_chain_lag_blocks")) === 0);
  }

  it("take an agent from the sign-in to a score on chain, each with its part", () => untilPoints(playToChain));

  it("report which role answers the requests that they do not answer", async () => {
    for (const role of ROLES_WITHOUT_API) {
      const response = await fetch(`${urls[role]}/api/games`);
      expect(response.headers.get("content-type")).to.include("application/problem+json");
      expect(await response.json()).to.include({ code: "MISDIRECTED_REQUEST", status: 421, role: "api" });
    }
    for (const [channel, server] of [
      ["play", "live"],
      ["spectate", "edge"],
    ] as const)
      for (const role of Object.keys(urls) as Role[]) {
        const ws = new WebSocket(`${urls[role].replace("http", "ws")}/ws/${SLUG}/${channel}?sessionId=none`);
        const [request, response] = (await once(ws, "unexpected-response")) as [{ destroy(): void }, IncomingMessage];
        const body = JSON.parse(String((await once(response, "data"))[0]));
        request.destroy();
        if (role === server) expect(body).to.include({ code: "SESSION_NOT_FOUND" });
        else expect(body).to.include({ code: "MISDIRECTED_REQUEST", status: 421, role: server });
      }
  });

  it("report each for itself whether they are up and ready", async () => {
    for (const role of Object.keys(urls) as Role[]) {
      expect(await (await fetch(`${urls[role]}/healthz`)).json()).to.deep.equal({ status: "up" });
      await waitUntil(async () => (await fetch(`${urls[role]}/readyz`)).status === 200);
    }
    const readChecks = async (role: Role): Promise<readonly string[]> => {
      const { checks } = (await (await fetch(`${urls[role]}/readyz`)).json()) as { checks: { name: string }[] };
      return checks.map(({ name }) => name);
    };
    expect(await readChecks("edge")).to.deep.equal(["process", "sessions", "database", "live"]);
    expect(await readChecks("chain")).to.include.members(["chain", "signers", "audit"]);
  });

  it("keep a flood of requests on the api node, away from running games", async () => {
    const { sessionId } = await startPractice(connect());
    const [requests, calls] = [await readSum("live", "arcade_http_requests_total"), [] as string[]];
    const subscription = observer.subscribe("arcade.>", {
      callback: (_, { subject }) => {
        if (/\.(call|starts)$/.test(subject)) calls.push(subject);
      },
    });
    await observer.flush();
    const flood = (path: string) =>
      Promise.all(Array.from({ length: FLOOD_REQUESTS }, (_, n) => fetch(`${urls.api}${path}${n}`)));
    for (const path of ["/api/games/catalog#", "/api/nothing?n=", `/api/games/${SLUG}#`]) await flood(path);
    await observer.flush();
    expect(calls).to.deep.equal([]);
    // A session's state is requested from its owner only a few times, however many requests read it.
    const records = await flood(`/api/games/${SLUG}/sessions/${sessionId}#`);
    expect(records.map(({ status }) => status)).to.deep.equal(records.map(() => 200));
    await observer.flush();
    expect(calls.length).to.be.within(1, FLOOD_REQUESTS / 4);
    subscription.unsubscribe();
    // The two reads of the metrics.
    expect(await readSum("live", "arcade_http_requests_total")).to.equal(requests + 1);
  });

  it("start no game while no node runs games, and report it", async () => {
    live.kill("SIGTERM");
    await live.exited;
    const findProblem = async (): Promise<string> => {
      const { checks } = (await (await fetch(`${urls.api}/readyz`)).json()) as {
        checks: { name: string; sentence: string }[];
      };
      return checks.find(({ name }) => name === "live")!.sentence;
    };
    await waitUntil(async () => (await findProblem()).startsWith("degraded: no server runs games"));
    const response = await fetch(`${urls.api}/api/games/${SLUG}/sessions/start`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() },
      body: JSON.stringify({ source: "browser_ws" }),
    });
    expect(await response.json()).to.include({
      code: "SHUTTING_DOWN",
      error: "No server runs games now; try again in a second.",
    });
  });
});
