/** The measured endpoints: their requests, and whether an answer is the one that was recorded. */

import { getClientAddress } from "../server/identities.ts";
import type { Answer } from "./load.ts";
import { SLUG } from "./world.ts";

export interface Endpoint {
  readonly name: string;
  /** With its query. */
  readonly path: string;
  /** The bytes of a whole request. */
  createRequest(n: number): Buffer;
  /** `expected`: the first answer. */
  isRight(answer: Answer, expected: Answer): boolean;
}

/** Enough for the limits of an address and a minute. */
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

/** About this many answers are compared with the recorded one byte by byte, all others by status and length. */
const COMPARED_EVERY = 16;
let answers = 0;

function isSame({ status, body }: Answer, expected: Answer): boolean {
  if (status !== expected.status || body.length !== expected.body.length) return false;
  answers += 1;
  if (answers % COMPARED_EVERY !== 0) return true;
  return body.equals(expected.body);
}

/** A public read: the same request from many addresses. */
function createRead(name: string, path: string): Endpoint {
  const requests = Array.from({ length: ADDRESSES }, (_, n) => toBytes(path, getClientAddress(n)));
  return { name, path, createRequest: (n) => requests[n % ADDRESSES]!, isRight: isSame };
}

export const ENDPOINTS: readonly Endpoint[] = [
  createRead("catalog", "/api/games/catalog"),
  createRead("leaderboard", `/api/leaderboard?game=${SLUG}`),
  createRead("stats", "/api/stats/summary"),
];
