/** The agents that this browser follows. The list is stored here; the home page requests their runs by id. */
import { type Signal, signal } from "@preact/signals";

const STORAGE_KEY = "agent-arcade.followed";
/** The home page sends requests for each of them. */
const FOLLOWED_MAX = 10;

/** By agent id, the latest first. Empty until `readFollowed`: the server does not know them. */
export const followed: Signal<readonly string[]> = signal([]);

const read = (): readonly string[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id) => /^\d{1,78}$/.test(String(id))).map(String) : [];
  } catch {
    return [];
  }
};

/** Reads the stored list, also after a change in another tab. */
export function readFollowed(): void {
  followed.value = read();
}

export function setFollowed(agentId: string, isFollowed: boolean): void {
  const others = read().filter((id) => id !== agentId);
  followed.value = (isFollowed ? [agentId, ...others] : others).slice(0, FOLLOWED_MAX);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(followed.value));
  } catch {
    // Without storage they are followed until the page is left.
  }
}
