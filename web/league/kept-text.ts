/** The text of the editor, kept in this browser for each game. */
const toKey = (slug: string): string => `agent-arcade.policy.${slug}`;

export function readKeptText(slug: string): string | null {
  try {
    return localStorage.getItem(toKey(slug));
  } catch {
    return null;
  }
}

export function keepText(slug: string, text: string): void {
  try {
    localStorage.setItem(toKey(slug), text);
  } catch {
    // Storage can be forbidden or full; then the text ends with the page.
  }
}
