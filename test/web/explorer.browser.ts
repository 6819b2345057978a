/** The pages of transactions and addresses, which the browser reads from the chain. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import { createWalletClient, type Hex, http, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { toSitePath } from "../../domain/site.ts";
import { siteChainOf } from "./site-chain.ts";
import { useSiteWorld } from "./support/use-site-world.ts";

/** The most node reads of one page. */
const READS_MAX = 40;

describe("the explorer's pages", () => {
  const site = useSiteWorld({ asksChain: true });
  const toSection = (page: Page, title: string) =>
    page.locator("section", { has: page.getByRole("heading", { name: title }) });
  const toRow = (page: Page, name: string) => page.locator(".details > div", { hasText: name });

  it("link a run to its transaction, its wallet and the contract, each decoded", async () => {
    const { onChainRun, agent, stack } = site.world;
    const { page, problems } = await site.open(toSitePath("run", { id: onChainRun.sessionId }));
    let reads = 0;
    page.on("request", (request) => {
      if (request.url().startsWith(stack.chain.rpcUrl)) reads += 1;
    });
    await page.locator(".evidence").getByRole("link", { name: /^0x/ }).click();
    await page.getByText("Succeeded").waitFor();
    expect(await toSection(page, "Call").textContent())
      .to.contain("snapshotScoreSigned")
      .and.contain("shellrunners");
    const event = page.locator(".chain-events li", { hasText: "ScoreSnapshot" });
    expect(await event.textContent())
      .to.contain(String(onChainRun.score))
      .and.contain(onChainRun.hash);
    reads = 0;
    await page.goto(site.world.url + toSitePath("address", { address: agent.address }));
    await toRow(page, "RewardsV2.getScorebank").getByText(String(onChainRun.score), { exact: true }).waitFor();
    expect(await page.locator(".chain-events").textContent())
      .to.contain("GameNftMinted")
      .and.contain("MetadataSet");
    expect(await page.getByText("Not decoded").count()).to.equal(0);
    expect(await page.getByRole("link", { name: "Agent page" }).getAttribute("href")).to.equal(
      `/agents/${agent.agentId}`,
    );
    expect(reads).to.be.within(5, READS_MAX);
    reads = 0;
    await page.goto(site.world.url + toSitePath("address", { address: stack.deployment.rewards }));
    await page.getByRole("heading", { name: "RewardsV2" }).waitFor();
    await toRow(page, "caps.dailyCap")
      .getByText(`100000000 tokens (1${"0".repeat(26)})`)
      .waitFor();
    expect(await toRow(page, "paused").textContent()).to.contain("false");
    expect(reads).to.be.within(5, READS_MAX);
    expect(problems).to.deep.equal([]);
  });

  it("show why a transaction failed, and report unknown transactions", async () => {
    const { stack, agent } = site.world;
    const chain = siteChainOf(stack);
    const wallet = createWalletClient({
      account: privateKeyToAccount(agent.privateKey),
      chain,
      transport: http(stack.chain.rpcUrl),
    });
    const abi = parseAbi(["function payout(address wallet)"]);
    const hash = await wallet.writeContract({
      address: stack.deployment.rewards,
      abi,
      functionName: "payout",
      args: ["0x000000000000000000000000000000000000dEaD"],
      gas: 300_000n,
    });
    const { page, problems } = await site.open(toSitePath("tx", { hash }));
    await page.getByText("Failed", { exact: true }).waitFor();
    expect(await toRow(page, "Reason").textContent()).to.match(/[A-Z][a-zA-Z]+\(.*\)$/);
    const unknown: Hex = `0x${"ab".repeat(32)}`;
    await page.goto(site.world.url + toSitePath("tx", { hash: unknown }));
    await page.getByText("This chain has no transaction with this hash").waitFor();
    expect(problems).to.deep.equal([]);
  });
});
