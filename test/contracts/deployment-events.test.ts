import { expect } from "chai";
import { BASE_URI, LIMITS, useArcade } from "./helpers/arcade.ts";

/** An indexer that begins at a contract's first block learns all of its settings. */
describe("a deployment tells", () => {
  const arcadeOf = useArcade();

  it("the identities' base URI and signer", async () => {
    const { identity, keys } = arcadeOf();
    const sent = identity.deploymentTransaction();
    await expect(sent).to.emit(identity, "BaseURISet").withArgs(BASE_URI);
    const { timestamp } = (await sent!.getBlock())!;
    await expect(sent).to.emit(identity, "SignerScheduled").withArgs(keys.identity.address, false, timestamp);
  });

  it("a game's base URI and royalty", async () => {
    const { nft, treasury } = arcadeOf();
    const sent = nft.deploymentTransaction();
    await expect(sent).to.emit(nft, "BaseURISet").withArgs("https://arcade.example/api/metadata/flappybots/");
    await expect(sent).to.emit(nft, "RoyaltySet").withArgs(treasury.address, 250n);
  });

  it("the rewards' caps and the bounds of a payout and a session", async () => {
    const { rewards } = arcadeOf();
    const sent = rewards.deploymentTransaction();
    await expect(sent).to.emit(rewards, "CapsSet").withArgs(LIMITS.dailyCap, LIMITS.weeklyCap);
    await expect(sent).to.emit(rewards, "MaxPayoutSet").withArgs(LIMITS.maxPayout);
    await expect(sent).to.emit(rewards, "MaxScorePerSessionSet").withArgs(LIMITS.maxScorePerSession);
  });
});
