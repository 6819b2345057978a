/** Chooses a client's encoding (RFC 9110 §8.4, §12.5.3). */
import type { IncomingMessage } from "node:http";
import express, { type Request } from "express";

/** Best first. */
const ENCODINGS = ["br", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

const withHeader = (header: string): Request =>
  Object.assign(Object.create(express.request) as Request, { headers: { "accept-encoding": header } });

export const acceptsGzip = ({ headers }: IncomingMessage): boolean =>
  withHeader(String(headers["accept-encoding"] ?? "identity")).acceptsEncodings("gzip") === "gzip";

/** By the header's text: clients send few different ones, and parsing takes longer than a lookup. */
const encodingByHeader = new Map<string, Encoding | null>();
const HEADERS_MAX = 100;

/** The best encoding that the client accepts; null for none. */
export function chooseEncoding({ headers }: IncomingMessage): Encoding | null {
  const header = headers["accept-encoding"];
  if (header === undefined) return null;
  const text = String(header);
  const known = encodingByHeader.get(text);
  if (known !== undefined) return known;
  const request = withHeader(text);
  // Tested one by one: among equal weights Express prefers the client's first one.
  const chosen = ENCODINGS.find((encoding) => request.acceptsEncodings(encoding) === encoding) ?? null;
  if (encodingByHeader.size === HEADERS_MAX) encodingByHeader.clear();
  encodingByHeader.set(text, chosen);
  return chosen;
}
