/** The service this page came from, with the viewer's access session where there is one. */

import type { Credentials } from "../../client/api.ts";
import { type ArcadeClient, createClient } from "../../client/client.ts";
import { createSignInId, holdSignIn } from "./sign-in-lock.ts";

const STORAGE_KEY = "agent-arcade.access";

/** Few retries: a viewer sees what is wrong sooner, and the pages ask again by themselves. */
export const client: ArcadeClient = createClient({ baseUrl: location.origin, retry: { retries: 2 } });

/** What a tab keeps over a reload. */
interface StoredAccess {
  readonly signInId: string;
  readonly credentials: Credentials;
}

let signInId: string | null = null;

function readStoredAccess(): StoredAccess | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") as StoredAccess | null;
    const isUsable =
      typeof stored?.signInId === "string" &&
      typeof stored.credentials?.accessToken === "string" &&
      Date.parse(stored.credentials.refreshExpiresAt) > Date.now();
    return isUsable ? stored : null;
  } catch {
    return null;
  }
}

/**
 * Takes up the access session of this tab; it is refreshed while the tab lives and kept over a reload. The duplicate of
 * a tab begins signed out.
 */
export async function restoreAccess(): Promise<void> {
  const stored = readStoredAccess();
  if (stored !== null && (await holdSignIn(stored.signInId))) {
    signInId = stored.signInId;
    client.signIn.restore(stored.credentials);
  } else clearAccess();
  addEventListener("pagehide", saveAccess);
}

/** Takes the credentials of a new sign-in. */
export function openAccess(credentials: Credentials): void {
  signInId = createSignInId();
  void holdSignIn(signInId);
  client.signIn.restore(credentials);
  saveAccess();
}

/** Writes the credentials held now to the tab's own storage; no other tab and no server sees them. */
function saveAccess(): void {
  const credentials = client.signIn.credentials();
  if (credentials === null || signInId === null) return;
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ signInId, credentials } satisfies StoredAccess));
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
