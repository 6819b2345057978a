/** What a person, a password manager or a reload has done in the server's page, before it was hydrated. */
declare global {
  interface Window {
    /** From `early-clicks.ts`. */
    takeEarlyClick?: () => HTMLButtonElement | null;
  }
}

/** The fields that were filled in. */
export const findEarlyEntries = (root: ParentNode): readonly Element[] =>
  [...root.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")].filter(
    ({ value, defaultValue }) => value !== defaultValue,
  );

/** Reports these fields to their components, which have seen no event of them. */
export function reportEntries(fields: readonly Element[]): void {
  for (const field of fields) field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Clicks the button again that was clicked last. */
export function repeatEarlyClick(): void {
  window.takeEarlyClick?.()?.click();
}
