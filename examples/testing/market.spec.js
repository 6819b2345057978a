import { arcadeFixtures } from "@agent-arcade/testing/playwright";
import { test as base, expect } from "@playwright/test";

const test = base.extend(arcadeFixtures({ at: "nft-minted", seed: 7 }));
// The first account sells, the second one is in the page.
test.use({ walletAccount: 1 });

async function sellNft(arcade) {
  const { client, wallet } = await arcade.connect(arcade.accounts[0]);
  const offer = { collection: "shellrunners", tokenId: "1", price: "50000000000000000" };
  const { listingId, typedData, approval } = await client.market.listingPayload(offer);
  const { txHash } = await wallet.sendCall(approval);
  await wallet.waitForReceipt(txHash);
  const signature = await wallet.signTypedData(typedData);
  await client.market.visibilitySet({ listingId, visible: true, signature });
}

async function buyNft(page) {
  await page.getByRole("button", { name: /^Buy/ }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("0.05 ETH");
  await dialog.getByRole("button", { name: /^Sign/ }).click();
}

test("an NFT is bought again after a reorganization has undone the purchase", async ({ arcade, page, wallet }) => {
  await sellNft(arcade);
  await page.goto("/market");
  await page.getByRole("button", { name: "Connect Scripted wallet" }).click();
  await buyNft(page);
  await expect(page.getByText("Nothing is for sale now")).toBeVisible();

  await arcade.chain.reorg(1);
  // The page connects the wallet again by itself.
  await page.reload();
  await buyNft(page);
  await expect(page.getByText(/^You bought .* #1/)).toBeVisible();
  expect(wallet.requests.filter(({ method }) => method === "eth_sendTransaction")).toHaveLength(2);
});

test("nothing is bought when the buyer refuses", async ({ arcade, page, wallet }) => {
  await sellNft(arcade);
  await page.goto("/market");
  await page.getByRole("button", { name: "Connect Scripted wallet" }).click();
  await page.getByRole("button", { name: /^Buy/ }).waitFor();
  wallet.reject();
  await buyNft(page);
  await expect(page.getByText(/nothing was sent/)).toBeVisible();
});
