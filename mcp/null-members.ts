/** Handles clients that write `null` for members they should leave out: `params`, `arguments`, `_meta`, `cursor`. */
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { dropNulls } from "../domain/null-members.ts";

function dropFrom(message: unknown): unknown {
  if (typeof message !== "object" || message === null || !("params" in message)) return message;
  const { params, ...others } = message;
  if (params === null) return others;
  return { ...others, params: dropNulls(params) };
}

/** Removes null `params` and their null members, which the protocol library rejects. */
export function dropNullMembers(text: string): string {
  if (!text.includes("null")) return text;
  try {
    const message: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return JSON.stringify(Array.isArray(message) ? message.map(dropFrom) : dropFrom(message));
  } catch {
    return text;
  }
}

/** The same for the lines of a stream. */
export async function* dropNullMembersOfLines(input: Readable): AsyncGenerator<string> {
  for await (const line of createInterface({ input })) yield `${dropNullMembers(line)}\n`;
}
