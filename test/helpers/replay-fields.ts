/** The positions of a replay's fields in its file, and whether a verdict reports the changed one. */
import { canonicalJson } from "../../domain/canonical-json.ts";
import type { Replay } from "../../domain/replay/replay.ts";

export interface ReplayField {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The position of each field's value in a replay's canonical text. */
export function findFields(replay: Replay, text: string): readonly ReplayField[] {
  return Object.entries(replay).map(([name, value]) => {
    const from = text.indexOf(`"${name}":`) + name.length + 3;
    return { name, from, to: from + canonicalJson(value).length };
  });
}

/** The top-level names of a JSON text; null if the bytes are not JSON. */
function parseNames(bytes: Uint8Array): readonly string[] | null {
  try {
    return Object.keys(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {
    return null;
  }
}

/**
 * Whether a list of differing fields contains the change. Bytes that are not JSON count as `file`. Otherwise it is
 * `field` or a part of it (`inputs[3]`), or, between the values (`field` is null), the added or removed name.
 */
export function isNamed(
  field: string | null,
  named: readonly string[],
  { original, changed }: { readonly original: Uint8Array; readonly changed: Uint8Array },
): boolean {
  const names = parseNames(changed);
  if (names === null) return named.length === 1 && named[0] === "file";
  const former = parseNames(original)!;
  const isOther = (name: string): boolean => former.includes(name) !== names.includes(name);
  const fields = named.flatMap((name) => name.split(", ")).map((name) => name.replace(/[[.].*$/, ""));
  return field === null ? fields.some(isOther) : fields.includes(field);
}
