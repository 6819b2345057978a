/**
 * A sign-in belongs to one tab: its refresh token can be used once, and the service treats a second use as theft. A
 * browser that duplicates a tab copies its storage, so each page holds a lock of its sign-in as long as it lives.
 */

/** The longest reload: from the end of a page until the next one requests the lock. */
const RELOAD_MS = 2_000;

const toLockName = (signInId: string): string => `agent-arcade.sign-in.${signInId}`;

/**
 * Holds the lock of this tab's sign-in until the page ends. False if another page holds it. True if the browser has
 * no Web Locks, as on a page without TLS from another machine.
 */
export async function holdOwnSignIn(signInId: string): Promise<boolean> {
  return !("locks" in navigator) || request(signInId, { signal: AbortSignal.timeout(RELOAD_MS) });
}

/** As `holdOwnSignIn`, for a sign-in that may belong to another tab: a reloading tab has precedence. */
export async function holdFoundSignIn(signInId: string): Promise<boolean> {
  if (!("locks" in navigator)) return true;
  const { held = [] } = await navigator.locks.query();
  if (held.some(({ name }) => name === toLockName(signInId))) return false;
  await new Promise((resolve) => setTimeout(resolve, RELOAD_MS));
  return request(signInId, { ifAvailable: true });
}

function request(signInId: string, options: LockOptions): Promise<boolean> {
  return new Promise((resolve) => {
    navigator.locks
      .request(toLockName(signInId), options, (lock) => {
        resolve(lock !== null);
        if (lock === null) return;
        return new Promise<void>((release) => addEventListener("pagehide", () => release(), { once: true }));
      })
      .catch(() => resolve(false));
  });
}
