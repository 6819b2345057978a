/** Compares the table of signed messages with the constants in the contracts' sources. */
import { globSync, readFileSync } from "node:fs";
import type * as messages from "../../domain/typed-data/messages.ts";

export type Messages = typeof messages;

function readTypeStrings(folder: string): ReadonlyMap<string, string> {
  const sources = globSync("contracts/**/*.sol", { cwd: folder }).map((name) =>
    readFileSync(`${folder}/${name}`, "utf8"),
  );
  const constants = sources.flatMap((source) => [
    ...source.matchAll(/constant (\w+_TYPEHASH)\s*=\s*keccak256\(\s*"([^"]+)"\s*\)/g),
  ]);
  return new Map(constants.map(([, name, text]) => [name!, text!]));
}

/** The messages of the table whose contract states another type string, or none. */
export function findDifferences({ TYPED_MESSAGES, encodeMessageType }: Messages, folder: string): readonly string[] {
  const typeStrings = readTypeStrings(folder);
  return (Object.keys(TYPED_MESSAGES) as messages.PrimaryType[]).filter((type) => {
    const view = TYPED_MESSAGES[type].typeHashView;
    return view !== null && typeStrings.get(view) !== encodeMessageType(type);
  });
}
