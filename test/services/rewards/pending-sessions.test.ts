import { expect } from "chai";
import type { SessionRow } from "../../../backend/ports/store/sessions.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { listScoreProblems } from "../../../domain/rewards.ts";
import { ALICE, addSession, appendEvents, createSnapshotEvent, storeEndedSession } from "../../adapters/store/rows.ts";
import { describeStore } from "../../adapters/store/suite.ts";

/** Every kind of session that the rule of eligibility distinguishes. */
async function storeAllKinds(store: Store): Promise<readonly string[]> {
  const running = await addSession(store, { slug: "flappybots" });
  const rows: SessionRow[] = [];
  for (const source of ["agent_api", "browser_ws"] as const)
    for (const score of [0, 40])
      for (const step of ["none", "verified", "withheld", "prepared", "forfeited", "snapshot"] as const) {
        const row = await storeEndedSession(store, { source }, { score });
        const { sessionId } = row;
        if (step === "verified" || step === "withheld") await store.sessions.setVerification(sessionId, step);
        if (step === "prepared") await store.sessions.markPrepared(sessionId, { atMs: 1, signedUntilSeconds: 1 });
        if (step === "forfeited") await store.sessions.forfeit(sessionId, { atMs: 1, signedBeforeSeconds: 0 });
        if (step === "snapshot" && row.sequence !== null) await appendEvents(store, createSnapshotEvent(row));
        rows.push(row);
      }
  return [running.sessionId, ...rows.map(({ sessionId }) => sessionId)];
}

describeStore("the store's list of pending sessions", (store) => {
  it("contains exactly the sessions without an eligibility problem", async () => {
    const ids = await storeAllKinds(store);
    const rows = await Promise.all(ids.map(async (id) => (await store.sessions.find(id))!));
    const expected = rows.filter((row) => listScoreProblems(row).length === 0).map(({ sessionId }) => sessionId);
    expect(expected).to.have.length(3);
    const listed = await store.sessions.listPending(ALICE, null, 100);
    expect(listed.map(({ sessionId }) => sessionId)).to.have.members(expected);
  });
});
