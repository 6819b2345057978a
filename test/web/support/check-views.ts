/** Checks pages on every kind of screen, in both color schemes: nothing broken, clipped, unreadable or external. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import { findAxeFaults } from "./axe.ts";
import { SCREENS, type SiteView } from "./site-views.ts";
import { useSiteWorld } from "./use-site-world.ts";

/** Texts and pictures that overflow the screen or a box that cannot be scrolled. */
const listClipped = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push(`page: ${document.documentElement.scrollWidth}`);
    for (const element of document.querySelectorAll<HTMLElement>(
      "main .card, main .bezel, main .button, main h1, main h2, nav a",
    )) {
      const box = element.getBoundingClientRect();
      // A wide table scrolls in its box.
      if (element.closest(".table-box") !== null) continue;
      const right = element.closest("main")?.getBoundingClientRect().right ?? innerWidth;
      if (box.width > 0 && (box.left < -1 || box.right > right + 1))
        found.push(`${element.tagName} "${element.textContent?.slice(0, 30)}"`);
      // Content that does not fit into its box must be reachable by scrolling.
      const frame = element.closest<HTMLElement>(".screen");
      if (frame === null || !element.classList.contains("card")) continue;
      const outer = frame.getBoundingClientRect();
      if (box.top < outer.top - 1 || box.bottom > outer.bottom + 1) found.push(`clipped card "${element.textContent}"`);
    }
    // The whole field must be on the screen at once.
    const field = document.querySelector<HTMLElement>(".layout .screen canvas")?.getBoundingClientRect();
    if (field !== undefined && (field.bottom + scrollY > innerHeight || field.right > innerWidth))
      found.push(`field: ends at ${Math.round(field.right)} x ${Math.round(field.bottom + scrollY)}`);
    return found;
  });

const LAYOUT_MS = 15_000;

/** Clipped content after the page has adapted to a new size, which plots and fields do in later frames. */
async function listClippedAtRest(page: Page): Promise<string[]> {
  const deadlineMs = performance.now() + LAYOUT_MS;
  let found = await listClipped(page);
  while (found.length > 0 && performance.now() < deadlineMs) {
    await page.evaluate(() => new Promise(requestAnimationFrame));
    found = await listClipped(page);
  }
  return found;
}

/** Controls and bars that cannot be seen, and choices that look like the others, when the system chooses the colors. */
const listLostColors = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const getStyle = (element: Element) => getComputedStyle(element);
    const list = (selector: string) => [...document.querySelectorAll(`:is(main, dialog) :is(${selector})`)];
    return [
      ...list("button:not(.inline), .button, .tabs a, .panel").filter((box) => getStyle(box).borderStyle === "none"),
      ...list("[aria-current], [aria-pressed=true], .bar span").filter((part) =>
        [...(part.matches("span") ? [part.parentElement!] : part.parentElement!.children)].some(
          (other) => other !== part && getStyle(other).backgroundColor === getStyle(part).backgroundColor,
        ),
      ),
    ].map(({ outerHTML }) => `lost: ${outerHTML.slice(0, 80)}`);
  });

/** A tablet is between them. `zoomed` is a desktop at 200 %. */
const CHECKED_SCREENS = {
  phone: SCREENS.phone,
  zoomed: { width: 640, height: 400 },
  landscape: SCREENS.landscape,
  desktop: SCREENS.desktop,
  large: { width: 2560, height: 1440 },
};

/** Defines the tests of some pages, each with a separate service and browser. */
export const checkViews = (title: string, views: readonly SiteView[]): void => {
  describe(title, () => {
    const site = useSiteWorld({ asksChain: true });
    before(async () => {
      await site.world.startLiveRun("flappybots", "Dunlin");
    });

    for (const { name, open: lead } of views)
      it(`${name} is complete and readable on every screen, in both schemes, and contacts no other host`, async () => {
        const { page, problems } = await site.open("/", { colorScheme: "dark" });
        await lead(page, site.world);
        expect(await page.title()).to.match(/Agent Arcade/);
        for (const [screen, viewport] of Object.entries(CHECKED_SCREENS)) {
          await page.setViewportSize(viewport);
          expect(await listClippedAtRest(page), screen).to.deep.equal([]);
          expect(await findAxeFaults(page), screen).to.deep.equal([]);
        }
        // Only contrast depends on the scheme.
        await page.emulateMedia({ colorScheme: "light" });
        expect(await findAxeFaults(page, ["color-contrast"]), "light").to.deep.equal([]);
        await page.emulateMedia({ forcedColors: "active" });
        expect(await listLostColors(page), "forced colors").to.deep.equal([]);
        // The agent's name looks like markup.
        expect(await page.locator("img[src=x]").count()).to.equal(0);
        expect(problems).to.deep.equal([]);
      });
  });
};
