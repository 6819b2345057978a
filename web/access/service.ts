/** The service this page came from, with the viewer's access session where there is one. */
import { type ArcadeClient, createClient } from "../../client/client.ts";
import type { Credentials } from "../../client/types.ts";

const STORED_AS = "agent-arcade.access";

/** Few retries: a viewer sees what is wrong sooner, and the pages ask again by themselves. */
export const client: ArcadeClient = createClient({ baseUrl: location.origin, retry: { retries: 2 } });

function readStored(): Credentials | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORED_AS) ?? "null") as Credentials | null;
    const usable = typeof stored?.accessToken === "string" && Date.parse(stored.refreshExpiresAt) > Date.now();
    return usable ? stored : null;
  } catch {
    return null;
  }
}

/** Takes up the access session of this tab; it is refreshed while the tab lives and kept over a reload. */
export function keepAccess(): void {
  const stored = readStored();
  if (stored !== null) client.signIn.restore(stored);
  addEventListener("pagehide", storeAccess);
}

/** Writes the credentials held now to the tab's own storage; no other tab and no server sees them. */
export function storeAccess(): void {
  const held = client.signIn.credentials();
  if (held === null) return;
  try {
    sessionStorage.setItem(STORED_AS, JSON.stringify(held));
  } catch {
    // Storage can be forbidden; then the access session ends with the page.
  }
}

export function forgetAccess(): void {
  try {
    sessionStorage.removeItem(STORED_AS);
  } catch {
    // Nothing was stored then.
  }
}
