/** The measured reads: their requests, and whether an answer is the one that was recorded. */

import { getClientAddress } from "../server/identities.ts";
import type { Answer } from "./load.ts";
import { SLUG } from "./world.ts";

/** With their queries. Requests use them in turn. */
export const PATHS = ["/api/games/catalog", `/api/leaderboard?game=${SLUG}`, "/api/stats/summary"] as const;

/** Enough for the limits of an address and a minute, and no multiple of the paths. */
const ADDRESSES = 4_096;

const toBytes = (path: string, address: string): Buffer =>
  Buffer.from(
    [
      `GET ${path} HTTP/1.1`,
      "Host: arcade.example",
      "User-Agent: bench",
      "Accept: */*",
      `X-Forwarded-For: ${address}`,
      "",
      "",
    ].join("\r\n"),
  );

const requests = PATHS.map((path) => Array.from({ length: ADDRESSES }, (_, n) => toBytes(path, getClientAddress(n))));

/** The bytes of request `n`. */
export const createRequest = (n: number): Buffer => requests[n % PATHS.length]![n % ADDRESSES]!;

/** About this many answers are compared with the recorded one byte by byte, all others by status and length. */
const COMPARED_EVERY = 16;

/** Whether request `n` got the answer that was recorded for its path. */
export function isRight(n: number, { status, body }: Answer, recorded: readonly Answer[]): boolean {
  const expected = recorded[n % PATHS.length]!;
  if (status !== expected.status || body.length !== expected.body.length) return false;
  return n % COMPARED_EVERY !== 0 || body.equals(expected.body);
}
