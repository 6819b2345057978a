/** Loads a script of the site, with retries: phones lose requests. */
import { sleep } from "../client/retry.ts";

const RETRY_DELAYS_MS = [300, 1500] as const;
const RELOADED_KEY = "agent-arcade.reloaded-for";

/** Throws the error of the last attempt. Reloads the page once if the server is there. */
export async function loadScript<T>(load: () => Promise<T>): Promise<T> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await load();
    } catch {
      await sleep(delayMs);
    }
  }
  try {
    return await load();
  } catch (error) {
    if (await canReload().catch(() => false)) location.reload();
    throw error;
  }
}

/**
 * Whether the page can be loaded again: the server may have a new build, and Firefox requests no script again that has
 * failed. True once per entry script, to avoid a reload loop.
 */
async function canReload(): Promise<boolean> {
  const script = document.querySelector('script[type="module"][src]')?.getAttribute("src") ?? "";
  const response = await fetch(location.href, { headers: { accept: "text/html" }, cache: "no-store" });
  if (!(await response.text()).includes('<div id="app">') || sessionStorage.getItem(RELOADED_KEY) === script)
    return false;
  sessionStorage.setItem(RELOADED_KEY, script);
  return true;
}
