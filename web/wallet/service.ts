/** The client of the service that served this page, with the viewer's access session if there is one. */

import type { Credentials } from "../../client/api.ts";
import { type ArcadeClient, createClient } from "../../client/client.ts";
import type { Fetch } from "../../client/http.ts";
import { createRandomId } from "../../client/random-id.ts";
import { holdFoundSignIn, holdOwnSignIn } from "./sign-in-lock.ts";

const STORAGE_KEY = "agent-arcade.access";

const isServer = typeof location === "undefined";
let transport: Fetch = (url, init) => fetch(url, init);

/** For the server, which renders the pages: reads without the network. */
export function setTransport(given: Fetch): void {
  transport = given;
}

/** Few retries: a viewer sees errors sooner, and pages poll anyway. */
export const client: ArcadeClient = createClient({
  baseUrl: isServer ? "" : location.origin,
  fetch: (url, init) => transport(url, init),
  retry: { retries: isServer ? 0 : 2 },
});

/** What a tab keeps across a reload. */
interface StoredAccess {
  readonly signInId: string;
  readonly credentials: Credentials;
  /** Set when the page that wrote it has ended, so this storage is not a copy of a living tab's. */
  readonly isHandedOver: boolean;
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
 * Restores the access session of this tab, which is refreshed while the tab lives and kept across a reload. A
 * duplicated tab starts signed out.
 */
export async function restoreAccess(): Promise<void> {
  addEventListener("pagehide", handOverAccess);
  addEventListener("pageshow", reloadKeptPage);
  const stored = readStoredAccess();
  if (stored === null) return;
  const hold = stored.isHandedOver ? holdOwnSignIn : holdFoundSignIn;
  if (!(await hold(stored.signInId))) return clearAccess();
  signInId = stored.signInId;
  client.signIn.restore(stored.credentials);
  // From now on, a copy of the storage comes from a living tab.
  saveAccess({ isHandedOver: false });
}

/** Lets the tab's next page restore the access session. */
function handOverAccess(): void {
  saveAccess({ isHandedOver: true });
  signInId = null;
}

/** Reloads a page from the back/forward cache, since later pages of the tab may have used its refresh token. */
function reloadKeptPage({ persisted }: PageTransitionEvent): void {
  const isOutdated = client.signIn.credentials() !== null || readStoredAccess() !== null;
  if (persisted && isOutdated) location.reload();
}

/** Uses and stores the credentials of a new sign-in. */
export function openAccess(credentials: Credentials): void {
  signInId = createRandomId();
  void holdOwnSignIn(signInId);
  client.signIn.restore(credentials);
  saveAccess({ isHandedOver: false });
}

function saveAccess({ isHandedOver }: Pick<StoredAccess, "isHandedOver">): void {
  const credentials = client.signIn.credentials();
  if (credentials !== null && signInId !== null) writeAccess({ signInId, credentials, isHandedOver });
}

/** Writes to the tab's storage. No other tab and no server sees it. */
function writeAccess(access: StoredAccess): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(access));
  } catch {
    // Storage may be blocked. The access session then ends with the page.
  }
}

export function clearAccess(): void {
  try {
    sessionStorage.removeItem(STORAGE_KEY);
  } catch {
    // Nothing was stored then.
  }
}
