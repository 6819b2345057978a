/**
 * A sign-in belongs to one tab: its refresh token can be used once, and the service takes a second use for a theft. A
 * browser that duplicates a tab copies its storage, so that a tab holds a lock of its sign-in for as long as it lives.
 */

/** At a reload the page before may hold the lock for a moment longer. */
const WAIT_MS = 2_000;

/** Also where a page has no secure context, in which `crypto.randomUUID` is missing. */
export const createSignInId = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

/**
 * Holds the lock until the page ends. False where another tab holds it. True without the browser's help, as on a page
 * without TLS that is not on this machine.
 */
export function holdSignIn(signInId: string): Promise<boolean> {
  if (!("locks" in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    navigator.locks
      .request(`agent-arcade.sign-in.${signInId}`, { signal: AbortSignal.timeout(WAIT_MS) }, () => {
        resolve(true);
        return new Promise<never>(() => undefined);
      })
      .catch(() => resolve(false));
  });
}
