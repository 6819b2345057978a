/** Where the fields of a replay are in its file, and whether a verdict names the one that changed. */
import { canonicalJson } from "../../backend/domain/canonical-json.ts";
import type { Replay } from "../../backend/domain/replay/replay.ts";

export interface ReplayField {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Where the value of each field is in a replay's canonical text. */
export function findFields(replay: Replay, text: string): readonly ReplayField[] {
  return Object.entries(replay).map(([name, value]) => {
    const from = text.indexOf(`"${name}":`) + name.length + 3;
    return { name, from, to: from + canonicalJson(value).length };
  });
}

/**
 * Whether a list of differing fields names `field`. A change that leaves no JSON is named by the place where reading
 * stopped (`file`); one between the values (`field` is null) is always named so, or by the name that it makes.
 */
export const isNamed = (field: string | null, named: readonly string[]): boolean =>
  named.length > 0 &&
  (field === null ||
    named[0] === "file" ||
    named.some((name) => name.split(", ").some((part) => part.startsWith(field))));
