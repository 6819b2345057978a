import { once } from "node:events";
import { expect } from "chai";
import { WebSocket } from "ws";
import { createAgent } from "../../testing/player.ts";
import { expectProblem } from "../helpers/problem.ts";
import { type ApiResponse, startTestStack, type TestStack } from "../helpers/suite.ts";
import { attemptSignIn, createTestAccount } from "./support/sign-in.ts";

const SESSIONS_PATH = "/api/games/shellrunners/sessions";
const SESSIONS_MAX = 6;

describe("limits of sessions and seats", () => {
  let stack: TestStack;
  beforeEach(async () => {
    const env = { ARCADE_RATE_LIMITS: "on", ARCADE_TRUST_PROXY: "true", ARCADE_SESSIONS_MAX: String(SESSIONS_MAX) };
    stack = await startTestStack({ env });
  });
  afterEach(() => stack.close());

  const post = (ip: string, path: string, body: unknown = {}, token?: string, headers: Record<string, string> = {}) =>
    stack.request("POST", path, {
      body,
      headers: { "X-Forwarded-For": ip, ...headers },
      ...(token === undefined ? {} : { token }),
    });
  const startPractice = (ip: string, key?: string): Promise<ApiResponse> =>
    post(
      ip,
      `${SESSIONS_PATH}/start`,
      { source: "browser_ws" },
      undefined,
      key === undefined ? {} : { "Idempotency-Key": key },
    );

  /** Opens the play channel, and resolves when the player has joined. */
  async function join({
    wsUrl,
    playToken,
  }: {
    readonly wsUrl: string;
    readonly playToken: string;
  }): Promise<WebSocket> {
    const socket = new WebSocket(wsUrl);
    await once(socket, "open");
    socket.send(JSON.stringify({ t: "auth", token: playToken }));
    await once(socket, "message");
    return socket;
  }

  it("an address that starts practice repeatedly has at most two sessions", async () => {
    const started: string[] = [];
    for (let i = 0; i < 9; i += 1) started.push((await startPractice("10.0.0.1")).body.sessionId);
    const sessions = await Promise.all(started.map((id) => stack.request("GET", `${SESSIONS_PATH}/${id}`)));
    const running = sessions.filter(({ body }) => body.session.phase !== "ended");
    expect(running).to.have.length(2);
    expect(sessions[0]!.body.session.endReason).to.equal("yielded");
  });

  it("a full service answers SERVER_FULL, and a ranked session replaces a practice", async () => {
    const agents = [await createAgent(stack), await createAgent(stack)];
    for (let i = 0; i < SESSIONS_MAX; i += 1) await startPractice(`10.1.${i}.1`);
    const rejected = await startPractice("10.0.2.1");
    expectProblem(rejected, "SERVER_FULL");
    expect(Number(rejected.headers.get("retry-after"))).to.equal(30);
    for (const agent of agents) {
      const token = await agent.getAccessToken();
      const path = agent === agents[0] ? `${SESSIONS_PATH}/start` : "/api/rewards/start-session";
      const body = agent === agents[0] ? { source: "agent_api" } : { gameSlug: "shellrunners" };
      expect((await post("10.0.3.1", path, body, token)).status).to.equal(200);
    }
  });

  it("a repeated anonymous start whose tokens were not used gets the same session with its practice token", async () => {
    const first = await startPractice("10.0.0.1", "practice-1");
    const again = await startPractice("10.0.0.1", "practice-1");
    expect(again.body.sessionId).to.equal(first.body.sessionId);
    expect(again.body.practiceToken).to.equal(first.body.practiceToken);
    const path = `${SESSIONS_PATH}/${first.body.sessionId}/heartbeat`;
    expect((await post("10.0.0.1", path, {}, again.body.practiceToken)).status).to.equal(200);
  });

  it("a repeated anonymous start does not take over a session that is being played", async () => {
    const first = await startPractice("10.0.0.1", "practice-1");
    const socket = await join(first.body);
    expectProblem(await startPractice("10.0.0.1", "practice-1"), "IDEMPOTENCY_CONFLICT");
    socket.send(JSON.stringify({ t: "ping" }));
    await once(socket, "message");
    expect(socket.readyState).to.equal(socket.OPEN);
    socket.terminate();
  });

  it("a repeated anonymous start does not take over a session whose practice token was used", async () => {
    const first = await startPractice("10.0.0.1", "practice-1");
    await post("10.0.0.1", `${SESSIONS_PATH}/${first.body.sessionId}/heartbeat`, {}, first.body.practiceToken);
    expectProblem(await startPractice("10.0.0.1", "practice-1"), "IDEMPOTENCY_CONFLICT");
  });

  it("wallets without an identity share three seats of an address, and a wallet with one is not limited", async () => {
    const agent = await createAgent(stack);
    const token = await agent.getAccessToken();
    const { sessionId } = (await post("10.0.0.9", `${SESSIONS_PATH}/start`, { source: "agent_api" }, token)).body;
    const watch = (walletToken: string) =>
      post("10.0.0.1", `${SESSIONS_PATH}/${sessionId}/spectate-token`, {}, walletToken);
    const wallets: string[] = [];
    for (const number of [201, 202, 203, 204])
      wallets.push((await attemptSignIn(stack, { account: createTestAccount(number) })).response.body.accessToken);
    for (const wallet of wallets.slice(0, 3)) expect((await watch(wallet)).status).to.equal(200);
    expectProblem(await watch(wallets[3]!), "RATE_LIMITED");
    expect((await watch(token)).status).to.equal(200);
  });
});
