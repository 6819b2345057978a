/** The operator's token, for this tab only, and the calls that carry it. */
import { type Signal, signal } from "@preact/signals";
import { client } from "../wallet/service.ts";

const STORAGE_KEY = "agent-arcade.admin";

const readToken = (): string | null => {
  try {
    return sessionStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
};

/** Null before the console is opened. */
export const adminToken: Signal<string | null> = signal(readToken());

/** Opens the console with a token that the service accepts. Throws `ArcadeApiError`. */
export async function openConsole(token: string): Promise<void> {
  await client.console.draining({}, { token });
  adminToken.value = token;
  try {
    sessionStorage.setItem(STORAGE_KEY, token);
  } catch {
    // Storage may be blocked. The token is then lost when the page closes.
  }
}

export function closeConsole(): void {
  adminToken.value = null;
  try {
    sessionStorage.removeItem(STORAGE_KEY);
  } catch {
    // Nothing was stored then.
  }
}

/** The option of a call that carries the token. */
export const asOperator = (signal?: AbortSignal) => ({
  token: adminToken.value ?? "",
  ...(signal === undefined ? {} : { signal }),
});
