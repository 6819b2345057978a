/** Runs axe-core on a page. */
import axe from "axe-core";
import type { Page } from "playwright-core";

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** All findings, each with its element. `rules`: only these; all by default. */
export async function findAxeFaults(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // Through the browser's debugger, since the site's policy allows no other script.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  // What flies in is translucent until it has arrived.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
        .map(({ finished }) => finished),
    ),
  );
  const violations = await page.evaluate(async (runOnly) => {
    const { axe: checker } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: readonly Violation[] }> };
    };
    return (await checker.run(runOnly === undefined ? {} : { runOnly: [...runOnly] })).violations;
  }, rules);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
