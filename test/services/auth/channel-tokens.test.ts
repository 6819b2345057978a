import { expect } from "chai";
import type { SessionRow } from "../../../backend/ports/store/sessions.ts";
import { ChannelTokens } from "../../../backend/services/auth/channel-tokens.ts";
import type { ArcadeError } from "../../../domain/errors.ts";
import { createSession } from "../../adapters/store/rows.ts";
import { TestClock } from "../../helpers/test-clock.ts";

describe("tokens for the channels of a session", () => {
  it("are rejected if it has ended since its row was read", async () => {
    const live = {
      waitUntilRecovered: async () => undefined,
      getView: async () => null,
      reserveSeat: async () => null,
    };
    const ports = { live, clock: new TestClock(), limitSeatsPerIp: false };
    const tokens = new ChannelTokens(ports as never);
    const row = { ...createSession(), phase: "ready" } as SessionRow;
    const issues = [tokens.issuePlay(row, null), tokens.issueSpectate(row, { wallet: null, familyId: null, ip: "a" })];
    for (const issue of issues) expect(await issue.catch((error: ArcadeError) => error.code)).to.equal("SESSION_ENDED");
  });
});
