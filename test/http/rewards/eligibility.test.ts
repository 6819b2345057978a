import { expect } from "chai";
import type { SessionRow } from "../../../backend/ports/store/sessions.ts";
import { addEndedSession, withStore } from "../../../testing/ended-session.ts";
import { createAgent, type Player } from "../../../testing/player.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { cancelSessionOnChain } from "../support/on-chain.ts";
import { createRouteTester } from "../support/watch-routes.ts";

describe("a session's eligibility", () => {
  const api = createRouteTester(() => stack);
  const stack = useTestStack();

  /** What each of the three routes returns for one session. */
  async function askRoutes(player: Player, { sessionId, slug }: SessionRow) {
    const call = { token: await player.getAccessToken(), body: { sessionId } };
    const state = (await api.expectSuccess("rewards.startSession", call)).body;
    const nft = (await api.call("nft.prepare", { ...call, params: { slug } })).body;
    const snapshot = (await api.call("rewards.snapshot", call)).body;
    return { state, nft, snapshot };
  }

  it("is denied by every route once the session's score was forfeited", async () => {
    const player = await createAgent(stack);
    const row = await addEndedSession(stack, { wallet: player.address });
    await withStore(stack, (store) => store.sessions.forfeit(row.sessionId, { atMs: 1_000, signedBeforeSeconds: 0 }));
    const { state, snapshot, nft } = await askRoutes(player, row);
    expect(state).to.deep.include({ eligible: false, reasons: ["NOTHING_TO_SNAPSHOT"] });
    expect(state.snapshot.state).to.equal("forfeited");
    for (const problem of [snapshot, nft]) {
      expect(problem).to.include({ code: "NOTHING_TO_SNAPSHOT", sessionId: row.sessionId });
      expect(problem.error).to.contain("was given up at 1970-01-01T00:00:01.000Z");
      expect(problem).to.not.have.property("next");
    }
  });

  it("is denied by every route while the session's score is withheld", async () => {
    const player = await createAgent(stack);
    const row = await addEndedSession(stack, { wallet: player.address });
    await withStore(stack, (store) => store.sessions.setVerification(row.sessionId, "withheld"));
    const { state, snapshot, nft } = await askRoutes(player, row);
    expect(state).to.deep.include({ eligible: false, reasons: ["REPLAY_MISMATCH"] });
    for (const problem of [snapshot, nft]) {
      expect(problem).to.include({ code: "REPLAY_MISMATCH", sessionId: row.sessionId });
      expect(problem).to.not.have.property("next");
    }
  });

  it("is denied once the guardian has cancelled the session on chain, which rules out a snapshot", async () => {
    const player = await createAgent(stack);
    const row = await addEndedSession(stack, { wallet: player.address });
    await cancelSessionOnChain(stack, player.address, row.gameSessionHash!);
    const { state, snapshot, nft } = await askRoutes(player, row);
    expect(state).to.deep.include({ eligible: false, reasons: ["NOTHING_TO_SNAPSHOT"] });
    expect(snapshot).to.include({ mode: "already_done", txHash: null });
    expect(nft).to.include({ code: "NOTHING_TO_SNAPSHOT", sessionId: row.sessionId });
    expect(nft).to.not.have.property("next");
  });

  it("sends an agent whose score can be snapshotted from the NFT route to the snapshot", async () => {
    const player = await createAgent(stack);
    const row = await addEndedSession(stack, { wallet: player.address });
    const { state, snapshot, nft } = await askRoutes(player, row);
    expect(state).to.deep.include({ eligible: true, reasons: [] });
    expect(nft).to.include({ code: "SNAPSHOT_REQUIRED" });
    expect(nft.next).to.deep.equal({
      method: "POST",
      path: "/api/rewards/snapshot",
      body: { sessionId: row.sessionId },
    });
    expect(snapshot).to.include({ mode: "sign", sessionId: row.sessionId });
  });
});
