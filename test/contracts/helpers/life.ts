/** What happens in the life of a deployment, in order. */
import { keccak256, stringToHex } from "viem";
import { DAY_SECONDS, FLOAT, GAME_ID, LIMITS, SIGNER_DELAY_SECONDS, START_SECONDS, SUPPLY } from "./arcade.ts";
import { ADMIN_DELAY_SECONDS, Journey } from "./journey.ts";
import { hashOf } from "./snapshot.ts";

async function play(journey: Journey): Promise<void> {
  const { player, buyer, operator, thirdParty, identity, score } = journey.actors;
  const digest = hashOf(0n, "digest");
  const mint = { to: player.address, metadataDigest: digest, nonce: 0n, deadline: journey.deadline };
  const signature = await journey.signMessage(identity, "MintIdentity", "AgentIdentity", mint);
  await journey.send(player, "AgentIdentity", "mintIdentityWithSignature", [
    player.address,
    digest,
    mint.deadline,
    signature,
  ]);
  await journey.send(player, "RewardsV2", "snapshotScoreSigned", await journey.snapshotArgs(1n));
  const again = await journey.snapshotArgs(2n);
  await journey.send(thirdParty, "RewardsV2", "snapshotScoreSigned", again);
  await journey.fail(player, "RewardsV2", "snapshotScoreSigned", again);
  const items = [3n, 4n, 5n].map((n) => ({ gameSessionHash: hashOf(n), gameId: GAME_ID, score: 500n + n }));
  const batch = { wallet: player.address, items, deadline: journey.deadline };
  const batchSignature = await journey.signMessage(score, "SnapshotBatch", "RewardsV2", batch);
  await journey.send(player, "RewardsV2", "snapshotScoresSigned", [
    player.address,
    items,
    batch.deadline,
    batchSignature,
  ]);
  await journey.send(player, "GameNFT", "mintSigned", await journey.nftArgs("MintGameNft", player.address, 120n));
  await journey.send(player, "GameNFT", "upgradeSigned", await journey.nftArgs("UpgradeGameNft", player.address, 600n));
  await journey.fail(player, "RewardsV2", "payout", [player.address]);
  journey.pass(DAY_SECONDS);
  await journey.send(player, "RewardsV2", "payout", [player.address]);
  await journey.send(player, "RewardsV2", "snapshotScoreSigned", await journey.snapshotArgs(6n));
  journey.pass(DAY_SECONDS);
  await journey.send(operator, "RewardsV2", "payout", [player.address]);
  await journey.send(player, "RewardToken", "transfer", [buyer.address, 7n]);
  await journey.send(player, "GameNFT", "transferFrom", [player.address, buyer.address, 1n]);
  await journey.send(buyer, "GameNFT", "upgradeSigned", await journey.nftArgs("UpgradeGameNft", buyer.address, 700n));
  await journey.send(player, "AgentIdentity", "transferFrom", [player.address, buyer.address, 1n]);
}

async function guard(journey: Journey): Promise<void> {
  const { player, admin, guardian, heir, thirdParty, score, nextScore } = journey.actors;
  await journey.send(guardian, "RewardsV2", "cancelSessions", [
    [{ wallet: player.address, gameSessionHash: hashOf(7n) }],
  ]);
  await journey.fail(player, "RewardsV2", "snapshotScoreSigned", await journey.snapshotArgs(7n));
  await journey.send(guardian, "RewardsV2", "pause");
  await journey.fail(player, "RewardsV2", "snapshotScoreSigned", await journey.snapshotArgs(8n));
  await journey.fail(guardian, "RewardsV2", "unpause");
  await journey.send(admin, "RewardsV2", "unpause");
  await journey.send(admin, "RewardsV2", "scheduleSigner", [nextScore.address, false]);
  await journey.fail(player, "RewardsV2", "snapshotScoreSigned", await journey.snapshotArgs(8n, nextScore));
  journey.pass(SIGNER_DELAY_SECONDS);
  await journey.send(player, "RewardsV2", "snapshotScoreSigned", await journey.snapshotArgs(8n, nextScore));
  await journey.send(admin, "RewardsV2", "promoteSigner");
  await journey.send(player, "RewardsV2", "snapshotScoreSigned", await journey.snapshotArgs(9n, score));
  await journey.send(guardian, "RewardsV2", "revokeSigner", [score.address]);
  await journey.fail(player, "RewardsV2", "snapshotScoreSigned", await journey.snapshotArgs(10n, score));
  await journey.send(player, "RewardsV2", "snapshotScoreSigned", await journey.snapshotArgs(10n, nextScore));
  await journey.send(guardian, "RewardsV2", "setCaps", [LIMITS.dailyCap / 2n, LIMITS.weeklyCap / 2n]);
  await journey.send(admin, "RewardsV2", "withdraw", [admin.address, 5n]);
  await journey.send(admin, "GameNFT", "setBaseURI", ["https://elsewhere.example/"]);
  await journey.send(admin, "RewardsV2", "beginDefaultAdminTransfer", [heir.address]);
  await journey.fail(heir, "RewardsV2", "acceptDefaultAdminTransfer");
  journey.pass(BigInt(ADMIN_DELAY_SECONDS) + 1n);
  await journey.send(heir, "RewardsV2", "acceptDefaultAdminTransfer");
  await journey.fail(admin, "RewardsV2", "pause");
  await journey.fail(thirdParty, "RewardsV2", "fund", [1n]);
}

async function ask(journey: Journey): Promise<void> {
  const { player, buyer, thirdParty, guardian, nextScore } = journey.actors;
  const refused = await journey.snapshotArgs(11n, thirdParty);
  const [wallet, gameId, , hash, deadline, signature] = await journey.snapshotArgs(1n, nextScore);
  journey.ask(player, "RewardsV2", "snapshotScoreSigned", refused);
  journey.ask(player, "RewardsV2", "snapshotScoreSigned", [wallet, gameId, 500n, hash, deadline, signature]);
  journey.ask(player, "RewardsV2", "snapshotScoreSigned", [wallet, gameId, 500n, hash, START_SECONDS, signature]);
  journey.ask(player, "RewardsV2", "snapshotScoreSigned", [wallet, gameId, 500n, hash, deadline, "0x1234"]);
  journey.ask(thirdParty, "RewardsV2", "payout", [wallet]);
  journey.ask(player, "RewardsV2", "payout", [wallet]);
  journey.ask(guardian, "RewardsV2", "unpause");
  journey.ask(thirdParty, "RewardsV2", "pause");
  journey.ask(player, "RewardsV2", "readiness", [wallet]);
  journey.ask(player, "RewardsV2", "accountOf", [wallet]);
  journey.ask(player, "RewardsV2", "signer");
  journey.ask(player, "RewardsV2", "eip712Domain");
  journey.ask(player, "AgentIdentity", "register");
  journey.ask(player, "AgentIdentity", "tokenURI", [1n]);
  journey.ask(player, "AgentIdentity", "tokenURI", [2n]);
  journey.ask(player, "AgentIdentity", "primaryIdentity", [buyer.address]);
  journey.ask(player, "GameNFT", "recordOf", [1n]);
  journey.ask(player, "GameNFT", "upgradeSigned", await journey.nftArgs("UpgradeGameNft", player.address, 900n));
  journey.ask(player, "GameNFT", "contractURI");
  journey.ask(thirdParty, "RewardToken", "transfer", [player.address, 1n]);
}

/** Deployment, roles, mints, snapshots, payouts, pause, cancellation, rotation, hand-over, then questions. */
export async function writeLife(chainId: number): Promise<Journey> {
  const journey = await Journey.begin(chainId);
  const { deployer, admin, nextOperator } = journey.actors;
  await journey.deploy();
  await journey.send(deployer, "RewardToken", "approve", [journey.addresses.RewardsV2, FLOAT]);
  await journey.send(deployer, "RewardsV2", "fund", [FLOAT]);
  await journey.send(deployer, "RewardToken", "transfer", [admin.address, SUPPLY - FLOAT]);
  const role = keccak256(stringToHex("OPERATOR_ROLE"));
  await journey.send(admin, "RewardsV2", "grantRole", [role, nextOperator.address]);
  await journey.send(admin, "RewardsV2", "revokeRole", [role, nextOperator.address]);
  await play(journey);
  await guard(journey);
  await ask(journey);
  return journey;
}
