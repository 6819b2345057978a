import { expect } from "chai";
import type { NewTokens } from "../../../backend/ports/store/auth.ts";
import { SignInTokens } from "../../../backend/services/auth/sign-in-tokens.ts";
import { ALICE } from "../../adapters/store/rows.ts";

describe("the tokens of a sign-in", () => {
  for (const [accessTtlSeconds, refreshTtlSeconds, accessSeconds] of [
    [61, 60, 60],
    [60, 60, 60],
    [59, 60, 59],
  ] as const)
    it(`an access token of ${accessTtlSeconds} s and a sign-in of ${refreshTtlSeconds} s end after ${accessSeconds} s and ${refreshTtlSeconds} s`, async () => {
      let added: NewTokens | null = null;
      const tokens = new SignInTokens({
        store: {
          addTokens: async (rows: NewTokens) => {
            added = rows;
          },
        },
        clock: { nowMs: () => 1000 },
        identity: { findAgentId: async () => null },
        settings: { accessTtlSeconds, refreshTtlSeconds, allowErc1271: false },
      } as never);
      await tokens.create({ wallet: ALICE, slug: "flappybots", contractSignature: null });
      expect(added!).to.have.nested.property("access.expiresAtMs", 1000 + accessSeconds * 1000);
      expect(added!).to.have.nested.property("refresh.expiresAtMs", 1000 + refreshTtlSeconds * 1000);
    });
});
