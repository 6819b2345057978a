import { expect } from "chai";
import type { SessionRow } from "../../../backend/ports/store/sessions.ts";
import { ChannelTokens } from "../../../backend/services/auth/channel-tokens.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { SESSION_LIMITS } from "../../../domain/limits/limits.ts";
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

  it("limit the seats of an address only while limits are on, and only for viewers without an identity", async () => {
    const [holder, other] = ["0x01", "0x02"];
    const issue = async (limitSeatsPerIp: boolean, wallet: string | null, isAvailable = true) => {
      const reserved: (number | null)[] = [];
      const live = {
        waitUntilRecovered: async () => undefined,
        reserveSeat: async ({ perIpMax }: { readonly perIpMax: number | null }) => {
          reserved.push(perIpMax);
          return null;
        },
      };
      const findAgentId = async (address: string) => {
        if (!isAvailable) throw new ArcadeError("CHAIN_UNAVAILABLE", "The chain is unavailable.");
        return address === holder ? 1n : null;
      };
      const ports = { live, clock: new TestClock(), limitSeatsPerIp, identity: { findAgentId } };
      const viewer = { wallet, familyId: null, ip: "a" };
      await new ChannelTokens(ports as never)
        .issueSpectate(createSession() as never, viewer as never)
        .catch(() => null);
      expect(reserved).to.have.length(1);
      return reserved[0];
    };
    for (const wallet of [null, holder, other]) expect(await issue(false, wallet!), `off ${wallet}`).to.equal(null);
    expect(await issue(true, holder!)).to.equal(null);
    for (const wallet of [null, other]) expect(await issue(true, wallet!)).to.equal(SESSION_LIMITS.seatsPerIp);
    expect(await issue(true, holder!, false), "while the chain is unavailable").to.equal(SESSION_LIMITS.seatsPerIp);
  });
});
