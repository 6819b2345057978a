/** @throws Error unless the text has `from` exactly once. The replacement is taken as it is. */
export function replaceOnce(text: string, from: string, to: string): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`expected "${from}" once, found it ${parts.length - 1} times`);
  return parts.join(to);
}
