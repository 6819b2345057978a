import { expect } from "chai";
import { playSession, registerAgent, requestPayout } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { fund, makeDrillAgent } from "../../lab/drills/support/agent.ts";
import type { ArcadeProcess, BackendProcess } from "../../lab/drills/support/process.ts";
import { sendRequest } from "../helpers/suite.ts";
import { useTestFleet } from "../helpers/test-fleet.ts";
import { NoPointsError, untilPoints } from "../helpers/until-points.ts";

const SLUG = "flappybots";
/** Answers must come while the suspended backend still holds its lease. */
const QUICK = { ARCADE_CHAIN_WAIT_MS: "500" };
const REQUESTS = { ...QUICK, ARCADE_ROLES: "api,live,edge" };

describe("two backends while the one that stores the chain's events is suspended", () => {
  const getFleet = useTestFleet();
  let first: ArcadeProcess;
  let other: BackendProcess;
  let indexer: BackendProcess;
  before(async () => {
    const fleet = getFleet();
    first = await fleet.startFirst(REQUESTS);
    indexer = await fleet.startOther({ ...QUICK, ARCADE_ROLES: "chain" });
    other = await fleet.startOther(REQUESTS);
  });

  async function snapshotAndPay(): Promise<void> {
    const { rpcUrl } = first.ready;
    const agent = makeDrillAgent();
    await fund(first.ready, agent.address);
    const here = agent.connect(first.ready);
    const there = agent.connect({ httpUrl: other.httpUrl, rpcUrl });
    await registerAgent({ client: here, agentName: "Reader" });
    const session = await here.sessions.start({ slug: SLUG, source: "agent_api" });
    const { sessionId } = session;
    const stop = new AbortController();
    const end = playSession({
      client: here,
      session,
      bot: findGame(SLUG)!.bots.reference(),
      onFrame: ({ score }) => void (score.current > 0 && stop.abort()),
    });
    await Promise.race([end, new Promise((resolve) => stop.signal.addEventListener("abort", resolve))]);
    await here.sessions.end({ slug: SLUG, sessionId });
    const { score, endReason } = await end;
    if (score === 0) throw new NoPointsError(endReason);
    const token = (await there.signIn.accessToken())!;
    const ask = (path: string, body: object, headers = {}) =>
      sendRequest(other.httpUrl, "POST", path, { token, body, headers });
    const prepared = await there.rewards.snapshot({ sessionId });
    if (prepared.mode !== "sign") throw new Error(`expected a signature, received ${prepared.mode}`);

    indexer.kill("SIGSTOP");
    const { txHash } = await here.wallet!.sendCall(prepared.call);
    const { block } = await here.wallet!.waitForReceipt(txHash);
    const confirmed = await ask("/api/rewards/snapshot", { sessionId, txHash });
    const stale = await ask("/api/rewards/readiness", {});
    const current = await ask("/api/rewards/readiness", {}, { "Arcade-Min-Block": String(block) });
    indexer.kill("SIGCONT");
    const behind = { status: 503, code: "CHAIN_UNAVAILABLE", retryable: true };
    expect(confirmed.body, "the confirmation").to.include(behind);
    expect(current.body, "the answer as of that block").to.include(behind);
    expect(stale.body.scorebank).to.equal(0);
    expect(stale.body.asOf.block, "the block of a bank without the score").to.be.below(block);

    expect(await there.rewards.snapshot({ sessionId, txHash })).to.include({ mode: "recorded", scoreDelta: score });
    here.seeBlock(block);
    const readiness = await here.rewards.readiness({});
    expect(readiness.scorebank).to.equal(score);
    expect(readiness.asOf.block).to.be.at.least(block);
    expect((await requestPayout({ client: here, waitMaxMs: 120_000 })).paid).to.equal(true);
  }

  it("never report a recorded score and then an empty scorebank", () => untilPoints(snapshotAndPay));
});
