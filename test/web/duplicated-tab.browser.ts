/** A tab that the browser duplicates: its storage is copied, but not its sign-in. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import { useSiteBrowser } from "./site-browser.ts";
import { signInAsWallet } from "./support/sign-in.ts";

/** Longer than an access token lives, shorter than a refresh token. */
const LATER_MS = 5_400_000;

describe("a duplicated tab", () => {
  // At real speed, since a run must last until the third tab watches it.
  const site = useSiteBrowser({}, 1);

  /** A window opened by a script gets a copy of the storage, like a duplicated tab. */
  async function duplicate(page: Page): Promise<Page> {
    const opened = page.waitForEvent("popup");
    await page.evaluate(() => void window.open(location.href));
    return opened;
  }

  it("starts signed out, and does not affect the first one's sign-in", async () => {
    const row = await site.startAgent("shellrunners");
    const page = await site.open("/practice/flappybots");
    await signInAsWallet(page, site);
    const copy = await duplicate(page);
    // Both would refresh their access tokens now, the copy twice.
    await page.context().addInitScript((laterMs: number) => {
      const now = Date.now;
      Date.now = () => now() + laterMs;
    }, LATER_MS);
    const watch = async (tab: Page): Promise<void> => {
      await tab.goto(`${site.stack.httpUrl}/watch/${row.sessionId}`);
      await tab.locator('[data-phase="running"]').waitFor();
    };
    for (const tab of [copy, copy, page]) await watch(tab);
    const path = `POST /api/games/shellrunners/sessions/${row.sessionId}/spectate-token`;
    const tokens = site.requests.filter((request) => request.includes("spectate-token"));
    expect(tokens).to.deep.equal([`${path}-public`, `${path}-public`, path]);
    expect(await copy.getByRole("button", { name: "Sign out" }).count()).to.equal(0);
    expect(await page.getByRole("button", { name: "Sign out" }).count()).to.equal(1);
    expect(site.errors).to.deep.equal([]);
  });

  it("leaves the first one signed in across a reload", async () => {
    const page = await site.open("/practice/flappybots");
    await signInAsWallet(page, site);
    const copy = await duplicate(page);
    await copy.getByRole("heading", { level: 1 }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    expect(await page.getByRole("button", { name: "Sign in" }).count()).to.equal(0);
  });

  it("leaves the first one signed in when it reloads just after its copy has opened", async () => {
    const page = await site.open("/practice/flappybots");
    await signInAsWallet(page, site);
    const copy = await duplicate(page);
    await copy.waitForLoadState("load");
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await copy.getByRole("heading", { level: 1 }).waitFor();
    expect(await copy.getByRole("button", { name: "Sign out" }).count()).to.equal(0);
  });

  it("leaves the first one signed in when its copy opens during its reload", async () => {
    const page = await site.open("/practice/flappybots");
    await signInAsWallet(page, site);
    const [first, copied] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // The copy's pause is ten times as long, since a busy machine may need more than 2 s for the reload.
    await page.context().addInitScript(() => {
      const { setTimeout } = window;
      if (window.opener !== null)
        window.setTimeout = ((run: TimerHandler, ms = 0) =>
          setTimeout(run, ms === 2_000 ? 20_000 : ms)) as typeof setTimeout;
    });
    await page.context().route(/\.js$/, async (route) => {
      await (route.request().frame().page() === page ? first : copied).promise;
      await route.continue();
    });
    const copy = await duplicate(page);
    await page.reload({ waitUntil: "commit" });
    copied.resolve();
    await copy.waitForLoadState("load");
    first.resolve();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await copy.getByRole("heading", { level: 1 }).waitFor();
    expect(await copy.getByRole("button", { name: "Sign out" }).count()).to.equal(0);
  });
});

describe("a tab that goes back to a page in the browser's cache", () => {
  const site = useSiteBrowser();

  it("reloads it, and stays signed in or out like its last page", async () => {
    const page = await site.open("/practice/flappybots");
    await signInAsWallet(page, site);
    const comeBack = async (): Promise<void> => {
      const loaded = page.waitForEvent("load");
      await page.evaluate(() => {
        dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
        if (document.body.dataset.signsOut !== undefined) sessionStorage.clear();
        dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
      });
      await loaded;
      await page.getByRole("heading", { level: 1 }).waitFor();
    };
    await comeBack();
    expect(await page.getByRole("button", { name: "Sign out" }).count()).to.equal(1);
    await page.evaluate(() => {
      document.body.dataset.signsOut = "";
    });
    await comeBack();
    expect(await page.getByRole("button", { name: "Sign out" }).count()).to.equal(0);
  });
});
