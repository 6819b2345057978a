import { expect } from "chai";
import { Sessions } from "../../../backend/services/sessions/sessions.ts";
import { GATES_SKIPPED_AFTER_MS } from "../../../domain/gates.ts";
import { ALICE } from "../../adapters/store/rows.ts";

/** What a ranked start asks about the player first, while the chain has not answered for some time. */
function startIn(outageMs: number): Promise<string> {
  const stop = (name: string) => async () => {
    throw new Error(name);
  };
  const identity = { requireIdentity: stop("requireIdentity"), findAgentId: stop("findAgentId") };
  const sessions = new Sessions({ identity, outageMs: () => outageMs } as never);
  const request = { slug: "flappybots", source: "agent_api", wallet: ALICE, familyId: null, ip: "a" };
  return sessions.start(request as never).then(
    () => "started",
    ({ message }) => message,
  );
}

describe("a ranked start in an outage of the chain", () => {
  it("requires no identity once the outage has lasted as long as the gates wait", async () => {
    expect(await startIn(0)).to.equal("requireIdentity");
    expect(await startIn(GATES_SKIPPED_AFTER_MS - 1)).to.equal("requireIdentity");
    expect(await startIn(GATES_SKIPPED_AFTER_MS)).to.equal("findAgentId");
  });
});
