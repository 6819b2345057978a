/**
 * A sign-in belongs to one tab: its refresh token can be used once, and the service takes a second use for a theft. A
 * browser that duplicates a tab copies its storage, so that a page holds a lock of its sign-in for as long as it lives.
 */

/** How long a reload takes at most, from the end of a page until the next one asks for the lock. */
const RELOAD_MS = 2_000;

const toLockName = (signInId: string): string => `agent-arcade.sign-in.${signInId}`;

/** Also when a page has no secure context, in which `crypto.randomUUID` is missing. */
export const createSignInId = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

/**
 * Holds the lock of a sign-in that is this tab's own until the page ends. False if another page holds it. True
 * without the browser's help, as on a page without TLS that is not on this machine.
 */
export async function holdOwnSignIn(signInId: string): Promise<boolean> {
  return !("locks" in navigator) || request(signInId, { signal: AbortSignal.timeout(RELOAD_MS) });
}

/** As `holdOwnSignIn`, for a sign-in that may be another tab's: a tab that reloads comes first. */
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
