/** Loads a script of the site, with retries: phones lose requests. */
import { sleep } from "../client/retry.ts";

const RETRY_DELAYS_MS = [300, 1500] as const;
const RELOADED_KEY = "agent-arcade.reloaded-for";

/** Throws the error of the last attempt. Reloads the page if the server has a new build. */
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
    if (await hasBuildChanged().catch(() => false)) location.reload();
    throw error;
  }
}

/** Whether the page at this URL now has another entry script. True once per script, to avoid a reload loop. */
async function hasBuildChanged(): Promise<boolean> {
  const script = document.querySelector('script[type="module"][src]')?.getAttribute("src") ?? "";
  const response = await fetch(location.href, { headers: { accept: "text/html" }, cache: "no-store" });
  const html = await response.text();
  if (!html.includes('<div id="app">') || html.includes(`"${script}"`)) return false;
  if (sessionStorage.getItem(RELOADED_KEY) === script) return false;
  sessionStorage.setItem(RELOADED_KEY, script);
  return true;
}
