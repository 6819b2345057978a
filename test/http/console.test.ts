import { expect } from "chai";
import { routes } from "../../backend/http/routes/index.ts";
import { command as adminCommand } from "../../scripts/admin.ts";
import { examineDeployment } from "../../scripts/doctor/examine-deployment.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent } from "../../testing/player.ts";
import { waitFor } from "../adapters/chain/chain-fixture.ts";
import { callCommand } from "../helpers/commands.ts";
import { useShared } from "../helpers/fixture.ts";
import { StillClock } from "../helpers/still-clock.ts";
import { startTestStack, useTestStack } from "../helpers/suite.ts";

const TOKEN = "operators-own-token-1234";

describe("the operator's console over HTTP", () => {
  const stack = useTestStack({
    env: { ARCADE_ADMIN_TOKEN: TOKEN, ARCADE_RATE_LIMITS: "off" },
    doctor: examineDeployment,
  });
  const agent = useShared(() => createAgent(stack));

  const get = (name: string, query = "") => stack.request("GET", `/api/console/${name}${query}`, { token: TOKEN });
  const post = (path: string, body: object) => stack.request("POST", `/api/console/${path}`, { token: TOKEN, body });

  /** The command that corresponds to the routes. Both adapt the same actions. */
  const tx = async (...args: string[]) => {
    const env = { ARCADE_DATA_DIR: stack.dataDir, ARCADE_RPC_URL: stack.chain.rpcUrl };
    return (await callCommand(adminCommand, ["tx", ...args, "--json"], env)).json;
  };

  it("every route requires the operator's token, and accepts no other", async () => {
    const console = routes.filter(({ access }) => access === "admin");
    expect(console).to.have.length(13);
    for (const { method, path } of console) {
      const call = (token?: string) =>
        stack.request(method, path.replace(/\{\w+\}/, "0190f1d5-7c4e-7abc-8def-0123456789ab"), {
          ...(token === undefined ? {} : { token }),
          body: {},
        });
      expect((await call()).body.code, path).to.equal("AUTH_REQUIRED");
      for (const token of [await agent.getAccessToken(), TOKEN.slice(0, -1), `${TOKEN}5`, TOKEN.toUpperCase()])
        expect((await call(token)).body.code, `${path} ${token}`).to.equal("TOKEN_INVALID");
    }
  });

  it("lists running sessions with their seats, and ends one with an audit row", async () => {
    const { sessionId } = await agent.client.sessions.start({ slug: "shellrunners", source: "agent_api" });
    const { body } = await get("sessions");
    const row = body.sessions.find((session: { sessionId: string }) => session.sessionId === sessionId);
    expect(row).to.deep.include({ slug: "shellrunners", source: "agent_api", walletAddress: agent.address });
    expect(row.spectators).to.deep.equal({ current: 0, max: 50 });
    const ended = await post(`sessions/${sessionId}`, { action: "end", reason: "stuck" });
    expect(ended.body).to.deep.include({ sessionId, outcome: "requested" });
    const audit = (await get("audit", `?subject=${sessionId}`)).body.audit;
    expect(audit[0]).to.deep.include({ who: "console", subject: sessionId });
    expect(JSON.stringify(audit[0].after)).to.contain("stuck");
  });

  it("withholds an ended session's score, lists it, and reports why another one cannot be", async () => {
    const { sessionId } = await addEndedSession(stack, { wallet: agent.address, slug: "flappybots", minScore: 5 });
    const done = await post(`sessions/${sessionId}`, { action: "withhold", reason: "reads the seed" });
    expect(done.body).to.deep.include({ sessionId, outcome: "withheld", signedUntil: null });
    const { sessions } = (await get("withheld")).body;
    expect(sessions.map((session: { sessionId: string }) => session.sessionId)).to.deep.equal([sessionId]);
    const unknown = await post("sessions/0190f1d5-7c4e-7abc-8def-0123456789ab", { action: "forfeit", reason: "x" });
    expect(unknown.body.code).to.equal("SESSION_NOT_FOUND");
    expect((await post(`sessions/${sessionId}`, { action: "withhold", reason: "" })).body.code).to.equal(
      "VALIDATION_FAILED",
    );
  });

  it("finds an error by the request id that the client got", async () => {
    const failed = await stack.request("GET", "/api/games/nothing");
    expect(failed.body.code).to.equal("GAME_NOT_FOUND");
    const { errors } = (await get("errors", `?requestId=${failed.body.requestId}`)).body;
    expect(errors).to.have.length(1);
    expect(errors[0]).to.deep.include({ route: "games.get", code: "GAME_NOT_FOUND", status: 404 });
    expect(errors[0].message).to.equal(failed.body.error);
  });

  it("lists signings without their signatures, and open payouts", async () => {
    const { signings } = (await get("signings")).body;
    expect(signings[0]).to.have.keys(["kind", "key", "payloadHash", "at"]);
    expect((await get("payouts")).body.payouts).to.deep.equal([]);
  });

  it("bumps a waiting transaction by route and by command, and cancels it, each with an audit row", async () => {
    const { client, address } = await createAgent(stack);
    const { sessionId } = await addEndedSession(stack, { wallet: address, slug: "shellrunners", minScore: 1 });
    await stack.chain.request("evm_setAutomine", [false]);
    try {
      const asked = client.rewards.snapshotSponsored({ sessionId, sponsor: true });
      const waiting = await waitFor(async () => (await get("transactions")).body.transactions[0] ?? null);
      expect(waiting, "no bytes that can be sent").to.not.have.any.keys("raw", "cancelledRaw");
      expect(waiting.state).to.be.oneOf(["queued", "sent"]);
      const { transactionId, txHash } = waiting;
      const order = async (action: "bump" | "cancel"): Promise<string> => {
        const { body } = await post(`transactions/${transactionId}`, { action });
        expect(body).to.include({ transactionId, action, outcome: null });
        return waitFor(async () => (await get(`transaction-orders/${body.orderId}`)).body.outcome);
      };
      expect(await order("bump")).to.equal("bumped");
      const [bumped] = (await get("transactions")).body.transactions;
      expect(bumped).to.include({ transactionId, nonce: waiting.nonce });
      expect(bumped.txHash).to.not.equal(txHash);
      expect(await tx("bump", transactionId)).to.include({ order: "bump", outcome: "bumped" });
      expect(await order("cancel")).to.equal("cancelled");
      // The order ends when the empty transfer is stored, before it is sent.
      const [{ txHash: transfer }] = (await get("transactions")).body.transactions;
      await waitFor(() => stack.chain.request("eth_getTransactionByHash", [transfer]));
      await stack.chain.request("evm_mine", []);
      expect(await asked).to.include({ mode: "relayed", status: "failed" });
      expect((await get("transactions")).body.transactions[0].state).to.equal("replaced");
      const late = await post(`transactions/${transactionId}`, { action: "bump" });
      expect(late.body).to.include({ orderId: null, outcome: "not_waiting" });
      const shown = (await tx("show", transactionId)).transaction;
      expect(shown).to.include({ nonce: waiting.nonce, kind: "relay", state: "replaced", reason: "REPLACED" });
      expect(await tx("bump", transactionId)).to.include({ ok: false, exitCode: 1 });
      expect(await tx("cancel", "unknown")).to.include({ code: "NOT_FOUND", exitCode: 1 });
      const { audit } = (await get("audit", `?subject=${transactionId}`)).body;
      expect(audit.map((row: { action: string }) => row.action)).to.deep.equal(["tx.cancel", "tx.bump", "tx.bump"]);
      expect((await post("transactions/unknown", { action: "bump" })).body.code).to.equal("NOT_FOUND");
    } finally {
      await stack.chain.request("evm_setAutomine", [true]);
    }
    const again = await client.rewards.snapshotSponsored({ sessionId, sponsor: true });
    expect(again).to.include({ mode: "relayed", status: "included" });
  });

  it("runs the doctor: contracts, roles and keys against the chain", async () => {
    const { findings } = (await post("doctor", {})).body;
    const ids = findings.map((finding: { id: string }) => finding.id);
    expect(ids).to.include.members(["code.Rewards.RewardsV2", "signer.rewards", "pause.identity", "clock"]);
    expect(findings.filter((finding: { status: string }) => finding.status === "fault")).to.deep.equal([]);
    expect(JSON.stringify(findings)).to.not.contain(stack.chain.rpcUrl);
  });

  it("drains: new work is rejected and /readyz reports it, until the operator ends it", async () => {
    expect((await post("drain", { draining: true, reason: "update" })).body.draining).to.equal(true);
    expect((await stack.request("GET", "/readyz")).status).to.equal(503);
    const start = await stack.request("POST", "/api/games/shellrunners/sessions/start", {
      body: { source: "browser_ws" },
    });
    expect(start.body.code).to.equal("SHUTTING_DOWN");
    expect((await get("drain")).body.draining).to.equal(true);
    expect((await post("drain", { draining: false, reason: "done" })).body.draining).to.equal(false);
    expect((await stack.request("GET", "/readyz")).status).to.equal(200);
    const actions = (await get("audit", "?subject=service")).body.audit.map((row: { action: string }) => row.action);
    expect(actions).to.deep.equal(["service.resume", "service.drain"]);
  });
});

describe("wrong admin tokens", () => {
  it("empty the address's bucket, after which even the right token is not checked", async () => {
    const env = { ARCADE_ADMIN_TOKEN: TOKEN, ARCADE_RATE_LIMITS: "on" };
    const stack = await startTestStack({ env, clock: new StillClock() });
    try {
      const codes = new Set<string>();
      for (let tries = 0; tries < 25; tries += 1)
        codes.add((await stack.request("GET", "/api/console/drain", { token: `wrong-${tries}` })).body.code);
      expect([...codes]).to.deep.equal(["TOKEN_INVALID", "RATE_LIMITED"]);
      expect((await stack.request("GET", "/api/console/drain", { token: TOKEN })).body.code).to.equal("RATE_LIMITED");
    } finally {
      await stack.close();
    }
  });
});
