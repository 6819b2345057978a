/** Every page of the site in each state, with the way to it, for tests and `npm run lab -- pictures`. */
import type { Page } from "playwright-core";
import { toSitePath } from "../../../domain/site.ts";
import { CONSOLE_VIEWS } from "../../../web/labels/console.ts";
import { ADMIN_TOKEN, type SiteWorld } from "./site-world.ts";

export const SCREENS = {
  phone: { width: 390, height: 844 },
  landscape: { width: 844, height: 390 },
  tablet: { width: 820, height: 1180 },
  desktop: { width: 1280, height: 800 },
} as const;
export const SCHEMES = ["dark", "light"] as const;

export interface SiteView {
  readonly name: string;
  /** Navigates a new page to the view. Resolves when it is complete. */
  open(page: Page, world: SiteWorld): Promise<void>;
}

async function goTo(page: Page, world: SiteWorld, path: string, ready: string): Promise<void> {
  await page.goto(world.url + path);
  await page.locator(ready).first().waitFor();
}

const view = (name: string, toPath: (world: SiteWorld) => string, ready: string): SiteView => ({
  name,
  open: (page, world) => goTo(page, world, toPath(world), ready),
});

/** A live run that starts when it is viewed. */
const watch = (slug: string, player: string): SiteView => ({
  name: `watch-${slug}`,
  async open(page, world) {
    const { sessionId } = await world.startLiveRun(slug, player);
    await goTo(page, world, toSitePath("watch", { id: sessionId }), '.layout [data-phase="running"]');
  },
});

const watchEnded: SiteView = {
  name: "watch-ended",
  async open(page, world) {
    const live = await world.startLiveRun("flappybots", "Turnstone");
    await goTo(page, world, toSitePath("watch", { id: live.sessionId }), '.layout [data-phase="running"]');
    await live.stop();
    await page.locator(".end-card").waitFor();
    // It flies in.
    await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  },
};

const practicing: SiteView = {
  name: "practice-playing",
  async open(page, world) {
    await goTo(page, world, toSitePath("practice", { game: "flappybots" }), ".card .button");
    await page.locator(".card .button").click();
    await page.locator('.layout [data-phase="running"]').waitFor();
  },
};

/** The account of this world's agent, in the page's wallet. */
async function openAccount(page: Page, world: SiteWorld): Promise<void> {
  const key = ["agent-arcade.development-key", world.agent.privateKey] as const;
  await page.addInitScript(([name, value]) => localStorage.setItem(name, value), key);
  await goTo(page, world, "/account", ".connect .button");
  await page.getByRole("button", { name: "Use the development wallet" }).click();
  await page.locator('[data-step="register"][data-status="done"]').waitFor();
  await page.locator('[data-step="signIn"]').getByRole("button").click();
  await page.getByRole("dialog").waitFor();
}

const account: SiteView = {
  name: "account-signed-in",
  async open(page, world) {
    await openAccount(page, world);
    await page.getByRole("dialog").getByRole("button", { name: "Sign", exact: true }).click();
    await page.getByRole("region", { name: "History" }).waitFor();
    await page.locator(".token-card img").first().waitFor();
  },
};

const createConsoleView = (name: string): SiteView => ({
  name: `console-${name}`,
  async open(page, world) {
    await goTo(page, world, `/console?view=${name}`, "main .form");
    await page.getByLabel("Admin token").fill(ADMIN_TOKEN);
    await page.getByRole("button", { name: "Open the console" }).click();
    await page.locator(".figures").waitFor();
    await page.locator("main .section .table, main .section .state:not(.state-loading)").first().waitFor();
  },
});

export const GAME_VIEWS: readonly SiteView[] = [
  view("home", () => toSitePath("home"), ".stage canvas"),
  watch("shellrunners", "Heron"),
  watch("flappybots", "Dunlin"),
  watchEnded,
  view("run", ({ onChainRun }) => `${toSitePath("run", { id: onChainRun.sessionId })}?t=300`, ".check-ok + .check-ok"),
  view(
    "run-compared",
    ({ onChainRun, otherRun }) => `${toSitePath("run", { id: otherRun.sessionId })}?with=${onChainRun.sessionId}&t=120`,
    ".run-picture + .run-picture canvas",
  ),
  view("embed", ({ onChainRun }) => toSitePath("embed", { id: onChainRun.sessionId }), "canvas[data-drawn]"),
  view("runs", () => toSitePath("runs"), ".table tbody tr"),
  view("search", () => `${toSitePath("search")}?q=plover`, ".table tbody tr"),
  view("leaderboard", () => toSitePath("leaderboard"), ".table tbody tr"),
  view("game-shellrunners", () => toSitePath("game", { game: "shellrunners" }), ".plot canvas"),
  view("game-flappybots", () => toSitePath("game", { game: "flappybots" }), ".plot canvas"),
  view("agent", ({ agent }) => toSitePath("agent", { id: agent.agentId }), ".tile img"),
  view("practice", () => toSitePath("practice", { game: "shellrunners" }), ".card .button"),
  practicing,
  view("league", () => toSitePath("league", { game: "flappybots" }), ".matrix a"),
  view("match", () => toSitePath("match", { game: "flappybots", season: "1" }), "canvas[data-drawn]"),
  view("write", () => toSitePath("write", { game: "flappybots" }), ".connect .button"),
];

export const WALLET_VIEWS: readonly SiteView[] = [
  view("account", () => "/account", ".connect .button"),
  { name: "account-signing", open: openAccount },
  account,
  view("market", () => "/market", ".token-card img"),
  view("vote", () => "/vote", ".candidates .panel"),
  view("address", ({ agent }) => toSitePath("address", { address: agent.address }), ".chain-events li"),
  view("stats", () => "/stats", ".plot canvas"),
  view("console", () => "/console", "main .form"),
  ...CONSOLE_VIEWS.map(createConsoleView),
  view("docs", () => "/docs", ".guide-list a"),
  view("docs-agents", () => "/docs/guides/agents", ".guide h2"),
  view("docs-operating", () => "/docs/guides/operating", ".guide h2"),
  view("docs-reference", () => "/docs/reference", "details"),
  view("not-found", () => "/nowhere", ".not-found .button"),
];

export const SITE_VIEWS: readonly SiteView[] = [...GAME_VIEWS, ...WALLET_VIEWS];
