import { BASE_URI, LIMITS, useArcade } from "./helpers/arcade.ts";
import { expectEvent } from "./helpers/expect.ts";

/** An indexer that begins at a contract's first block learns all of its settings. */
describe("a deployment tells", () => {
  const arcade = useArcade();

  it("the identities' base URI and signer", async () => {
    const { identity, keys } = arcade;
    const sent = identity.deploymentTransaction();
    await expectEvent(sent, identity, "BaseURISet", BASE_URI);
    const { timestamp } = (await sent!.getBlock())!;
    await expectEvent(sent, identity, "SignerScheduled", keys.identity.address, false, timestamp);
  });

  it("a game's base URI and royalty", async () => {
    const { nft, treasury } = arcade;
    const sent = nft.deploymentTransaction();
    await expectEvent(sent, nft, "BaseURISet", "https://arcade.example/api/metadata/flappybots/");
    await expectEvent(sent, nft, "RoyaltySet", treasury.address, 250n);
  });

  it("the rewards' caps and the bounds of a payout and a session", async () => {
    const { rewards } = arcade;
    const sent = rewards.deploymentTransaction();
    await expectEvent(sent, rewards, "CapsSet", LIMITS.dailyCap, LIMITS.weeklyCap);
    await expectEvent(sent, rewards, "MaxPayoutSet", LIMITS.maxPayout);
    await expectEvent(sent, rewards, "MaxScorePerSessionSet", LIMITS.maxScorePerSession);
  });
});
