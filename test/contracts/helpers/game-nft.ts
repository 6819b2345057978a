import { expect } from "chai";
import { type Arcade, as, type By, nowSeconds, THRESHOLDS } from "./arcade.ts";
import { expectEvent } from "./expect.ts";
import { signMessage, soon } from "./sign.ts";

export interface GameNftCall {
  readonly wallet: string;
  readonly agentId: bigint;
  readonly score: bigint;
  readonly deadline: bigint;
}

type Kind = "MintGameNft" | "UpgradeGameNft";
type Changes = Partial<GameNftCall>;

export const makeGameNftCall = async (arcade: Arcade, changes: Changes = {}): Promise<GameNftCall> => ({
  wallet: arcade.player.address,
  agentId: 1n,
  score: 600n,
  deadline: await soon(arcade),
  ...changes,
});

const tierIn = (score: bigint): bigint => BigInt(THRESHOLDS.filter((threshold) => score >= threshold).length);

/** A record keeps whole minutes. */
const toMinute = (seconds: bigint): bigint => seconds - (seconds % 60n);

/** Signs and sends without looking at the outcome. */
export async function sendGameNft(arcade: Arcade, kind: Kind, changes: Changes = {}, by: By = {}) {
  const call = await makeGameNftCall(arcade, changes);
  const signature = await signMessage(arcade, by.key ?? arcade.keys.nft, kind, { ...call });
  const contract = as(arcade.nft, by.sender ?? arcade.player);
  const args = [call.wallet, call.agentId, call.score, call.deadline, signature];
  return kind === "MintGameNft" ? contract.mintSigned(...args) : contract.upgradeSigned(...args);
}

/** Mints and checks event and stored record together. */
export async function expectGameNftMint(arcade: Arcade, changes: Changes = {}, by: By = {}): Promise<void> {
  const call = await makeGameNftCall(arcade, changes);
  const { nft } = arcade;
  const sent = await sendGameNft(arcade, "MintGameNft", call, by);
  const tier = tierIn(call.score);
  await expectEvent(sent, nft, "GameNftMinted", call.wallet, call.agentId, call.score, tier);
  expect(await nft.ownerOf(call.agentId)).to.equal(call.wallet);
  expect((await nft.recordOf(call.agentId)).toObject()).to.deep.equal({
    score: call.score,
    tier,
    mintedAt: toMinute(await nowSeconds(arcade)),
    upgradedAt: 0n,
    upgrades: 0n,
  });
}

/** Upgrades and checks events and stored record together. */
export async function expectGameNftUpgrade(arcade: Arcade, changes: Changes = {}, by: By = {}): Promise<void> {
  const call = await makeGameNftCall(arcade, changes);
  const { nft } = arcade;
  const before = await nft.recordOf(call.agentId);
  const sent = await sendGameNft(arcade, "UpgradeGameNft", call, by);
  const tier = tierIn(call.score);
  await expectEvent(sent, nft, "GameNftUpgraded", call.wallet, call.agentId, before.score, call.score, tier);
  await expectEvent(sent, nft, "MetadataUpdate", call.agentId);
  expect((await nft.recordOf(call.agentId)).toObject()).to.deep.equal({
    score: call.score,
    tier,
    mintedAt: before.mintedAt,
    upgradedAt: toMinute(await nowSeconds(arcade)),
    upgrades: before.upgrades + 1n,
  });
}
