import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { type Arcade, as, DAY_SECONDS, GAME_ID, keyOf, useArcade } from "./helpers/arcade.ts";
import { sendGameNft } from "./helpers/game-nft.ts";
import { type Gas, measureGas } from "./helpers/gas.ts";
import { sendIdentityMint, sendSponsoredMint } from "./helpers/identity.ts";
import { signMessage, soon } from "./helpers/sign.ts";
import { hashOf, sendSnapshot } from "./helpers/snapshot.ts";

const BATCH_SIZE = 10;
const SNAPSHOT_FILE = new URL("./gas-snapshot.json", import.meta.url);
/** Set to rewrite the file after a wanted change. */
const IS_UPDATE = process.env.UPDATE_GAS_SNAPSHOT === "1";

/** Most gas that each operation may cost, and the storage slots it may newly fill. */
const BUDGETS: { readonly [operation: string]: { readonly gas: number; readonly newSlots: number } } = {
  "snapshot, first": { gas: 79_000, newSlots: 2 },
  "snapshot, steady": { gas: 44_600, newSlots: 0 },
  "batch of 10, per snapshot, steady": { gas: 8_100, newSlots: 0 },
  "identity mint": { gas: 112_000, newSlots: 3 },
  "identity mint by a sponsor, with consent": { gas: 120_000, newSlots: 3 },
  "game NFT mint": { gas: 86_000, newSlots: 2 },
  "game NFT upgrade": { gas: 41_500, newSlots: 0 },
  "payout, first": { gas: 74_500, newSlots: 1 },
  "payout, steady": { gas: 57_100, newSlots: 0 },
  "payout, steady, relayed": { gas: 59_300, newSlots: 0 },
};

describe("gas", () => {
  const arcade = useArcade();
  const table: { [operation: string]: Gas } = {};

  /** Block time moves between blocks: an unmoved clock leaves times unchanged and reads too low. */
  async function measure(arcade: Arcade, operation: string | null, send: () => Promise<{ hash: string }>) {
    await arcade.time.setNextBlockTimestamp((await arcade.time.latest()) + 12);
    const { hash } = await send();
    if (operation !== null) table[operation] = await measureGas(arcade.connection, hash);
  }

  async function sendBatch(arcade: Arcade, from: bigint) {
    const items = Array.from({ length: BATCH_SIZE }, (_, index) => ({
      gameSessionHash: hashOf(from + BigInt(index)),
      gameId: GAME_ID,
      score: 500n,
    }));
    const message = { wallet: arcade.player.address, items, deadline: await soon(arcade) };
    const signature = await signMessage(arcade, arcade.keys.score, "SnapshotBatch", message);
    return as(arcade.rewards, arcade.player).snapshotScoresSigned(message.wallet, items, message.deadline, signature);
  }

  it("stays within every budget", async () => {
    const { rewards, player, operator, time } = arcade;
    const snapshot = (sequence: bigint) => async () => sendSnapshot(arcade, { sequence });
    const payout =
      (sender = player) =>
      () =>
        as(rewards, sender).payout(player.address);
    const pass = () => time.increase(DAY_SECONDS);

    await measure(arcade, "identity mint", async () => sendIdentityMint(arcade));
    await measure(arcade, "identity mint by a sponsor, with consent", async () =>
      sendSponsoredMint(
        arcade,
        { to: keyOf("sponsored").address },
        {
          wallet: keyOf("sponsored"),
        },
      ),
    );
    const nft = (kind: "MintGameNft" | "UpgradeGameNft", score: bigint) => async () =>
      sendGameNft(arcade, kind, { agentId: 1n, score });
    await measure(arcade, "game NFT mint", nft("MintGameNft", 600n));
    await measure(arcade, null, nft("UpgradeGameNft", 700n));
    await measure(arcade, "game NFT upgrade", nft("UpgradeGameNft", 2_600n));

    await measure(arcade, "snapshot, first", snapshot(1n));
    await measure(arcade, "snapshot, steady", snapshot(2n));
    await measure(arcade, "batch of 10, per snapshot, steady", () => sendBatch(arcade, 3n));
    await pass();
    await measure(arcade, "payout, first", payout());
    await measure(arcade, null, snapshot(20n));
    await pass();
    await measure(arcade, "payout, steady", payout());
    await measure(arcade, null, snapshot(21n));
    await pass();
    await measure(arcade, "payout, steady, relayed", payout(operator));

    const rows = Object.entries(BUDGETS).map(([operation, budget]) => {
      const divisor = operation.startsWith("batch") ? BATCH_SIZE : 1;
      const { measured, floor, newSlots } = table[operation]!;
      return {
        operation,
        budget: budget.gas,
        measured: Math.ceil(measured / divisor),
        floor: Math.ceil(floor / divisor),
        ratio: Number((measured / floor).toFixed(3)),
        newSlots,
      };
    });
    console.table(rows);
    for (const { operation, budget, measured, newSlots } of rows) {
      expect(measured, operation).to.be.at.most(budget);
      expect(newSlots, `${operation}: new slots`).to.equal(BUDGETS[operation]!.newSlots);
    }
    const text = `${JSON.stringify(rows, null, 2)}\n`;
    if (IS_UPDATE) writeFileSync(SNAPSHOT_FILE, text);
    expect(text, "gas changed: look why, then UPDATE_GAS_SNAPSHOT=1").to.equal(readFileSync(SNAPSHOT_FILE, "utf8"));
  });
});
