/** Pictures of every page in every size and color scheme, for a visual check. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { openPage } from "../../test/web/support/browser.ts";
import { SCHEMES, SCREENS, SITE_VIEWS } from "../../test/web/support/site-views.ts";
import type { SiteWorld } from "../../test/web/support/site-world.ts";

/** Long documents are cut at this height, in pixels. */
const HEIGHT_MAX = 3600;

/**
 * Writes `NAME-SCREEN-SCHEME.png` in full height for each page whose name starts with `prefix`. `onWritten` gets the
 * names of the files.
 */
export async function takeAllPictures(
  { browser, world }: { readonly browser: Browser; readonly world: SiteWorld },
  { folder, prefix }: { readonly folder: string; readonly prefix: string },
  onWritten: (file: string) => void,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const origins = [world.url, new URL(world.stack.chain.rpcUrl).origin];
  for (const { name, open } of SITE_VIEWS.filter((view) => view.name.startsWith(prefix)))
    for (const colorScheme of SCHEMES) {
      const { page } = await openPage(browser, world.url, origins, { colorScheme });
      await open(page, world);
      await page.evaluate(() => document.fonts.ready);
      for (const [screen, viewport] of Object.entries(SCREENS)) {
        await page.setViewportSize(viewport);
        await page.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
        );
        const { width } = viewport;
        const pageHeight = await page.evaluate(() => document.documentElement.scrollHeight);
        const height = Math.min(HEIGHT_MAX, Math.max(pageHeight, viewport.height));
        const file = join(folder, `${name}-${screen}-${colorScheme}.png`);
        await page.screenshot({ path: file, fullPage: true, clip: { x: 0, y: 0, width, height } });
        onWritten(file);
      }
      await page.context().close();
    }
}
