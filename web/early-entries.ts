/** The fields that a person, a password manager or a reload has filled in the server's page, before it was hydrated. */
export const findEarlyEntries = (root: ParentNode): readonly Element[] =>
  [...root.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")].filter(
    ({ value, defaultValue }) => value !== defaultValue,
  );

/** Reports these fields to their components, which have seen no event of them. */
export function reportEntries(fields: readonly Element[]): void {
  for (const field of fields) field.dispatchEvent(new Event("input", { bubbles: true }));
}
