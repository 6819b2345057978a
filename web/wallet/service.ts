/** The service this page came from, with the viewer's access session where there is one. */

import type { Credentials } from "../../client/api.ts";
import { type ArcadeClient, createClient } from "../../client/client.ts";

const STORAGE_KEY = "agent-arcade.access";

/** Few retries: a viewer sees what is wrong sooner, and the pages ask again by themselves. */
export const client: ArcadeClient = createClient({ baseUrl: location.origin, retry: { retries: 2 } });

function readStoredCredentials(): Credentials | null {
  try {
    const credentials = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") as Credentials | null;
    const isUsable =
      typeof credentials?.accessToken === "string" && Date.parse(credentials.refreshExpiresAt) > Date.now();
    return isUsable ? credentials : null;
  } catch {
    return null;
  }
}

/** Takes up the access session of this tab; it is refreshed while the tab lives and kept over a reload. */
export function restoreAccess(): void {
  const credentials = readStoredCredentials();
  if (credentials !== null) client.signIn.restore(credentials);
  addEventListener("pagehide", saveAccess);
}

/** Writes the credentials held now to the tab's own storage; no other tab and no server sees them. */
export function saveAccess(): void {
  const credentials = client.signIn.credentials();
  if (credentials === null) return;
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(credentials));
  } catch {
    // Storage can be forbidden; then the access session ends with the page.
  }
}

export function clearAccess(): void {
  try {
    sessionStorage.removeItem(STORAGE_KEY);
  } catch {
    // Nothing was stored then.
  }
}
