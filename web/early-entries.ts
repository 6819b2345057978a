/**
 * Reports text that a person, a password manager or a reload has entered into the server's page before it was
 * hydrated: components have seen no event of it.
 */
export function reportEarlyEntries(root: ParentNode): void {
  for (const field of root.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea"))
    if (field.value !== field.defaultValue) field.dispatchEvent(new Event("input", { bubbles: true }));
}
