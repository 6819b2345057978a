import { expect } from "chai";
import type { ArcadeClient } from "../../client/client.ts";
import { ArcadeApiError } from "../../client/errors.ts";
import { bringScores } from "../../web/account/bring-scores.ts";

const TX_HASH = `0x${"ab".repeat(32)}`;

/** A service that answers the request for all scores with this code, and puts the oldest on chain. */
function createFakeClient(code: "SPONSORSHIP_EXHAUSTED" | "RATE_LIMITED"): ArcadeClient {
  const snapshotAllSponsored = async () => {
    throw new ArcadeApiError({ code, message: code, status: 429, retryable: false });
  };
  const snapshotSponsored = async () => ({ mode: "already_done", sessionId: "s1", scoreDelta: 40, txHash: TX_HASH });
  const fake = {
    rewards: { snapshotAllSponsored, snapshotSponsored },
    retry: { sleep: async () => undefined },
  };
  return fake as unknown as ArcadeClient;
}

describe("the scores that /account puts on chain", () => {
  it("are only the oldest if the service does not pay for all of them today", async () => {
    const brought = await bringScores({ client: createFakeClient("SPONSORSHIP_EXHAUSTED"), sponsor: true });
    expect(brought).to.deep.equal({ scoreDelta: 40, txHash: TX_HASH });
  });

  it("are none after another error, which the caller gets", async () => {
    const failure = bringScores({ client: createFakeClient("RATE_LIMITED"), sponsor: true });
    expect(await failure.catch((error: ArcadeApiError) => error.code)).to.equal("RATE_LIMITED");
  });
});
