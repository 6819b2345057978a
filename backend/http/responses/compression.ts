/** Compression of text responses (RFC 9110 §8.4, §12.5.3), off the thread that ticks the games. */
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import express, { type Request, type Response } from "express";

/** A smaller response fits one packet, compressed or not. */
export const COMPRESSED_MIN_BYTES = 1024;

/** Best first. */
export const ENCODINGS = ["br", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

const brotli = promisify<Buffer, object, Buffer>(brotliCompress);
const deflate = promisify<Buffer, object, Buffer>(gzip);
/** Quality 4 takes about as long as gzip's default and gives less. */
export const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** The encodings that each header accepts: clients send few different ones, and parsing takes longer than a look-up. */
const acceptedByHeader = new Map<string, readonly Encoding[]>();
const HEADERS_MAX = 100;

function listAccepted(header: string): readonly Encoding[] {
  const known = acceptedByHeader.get(header);
  if (known !== undefined) return known;
  const request = Object.assign(Object.create(express.request) as Request, { headers: { "accept-encoding": header } });
  const accepted = ENCODINGS.filter((encoding) => request.acceptsEncodings(encoding) === encoding);
  if (acceptedByHeader.size === HEADERS_MAX) acceptedByHeader.clear();
  acceptedByHeader.set(header, accepted);
  return accepted;
}

/** The best encoding of `offered` that the client accepts; null for none. */
export function chooseEncoding(request: IncomingMessage, offered: readonly Encoding[] = ENCODINGS): Encoding | null {
  const header = request.headers["accept-encoding"];
  if (header === undefined || offered.length === 0) return null;
  return listAccepted(String(header)).find((encoding) => offered.includes(encoding)) ?? null;
}

/** Without Express's `send`, which looks for a tag and a type again. */
function endText(response: Response, content: string | Buffer, length: number): void {
  if (!response.hasHeader("Content-Type")) response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.setHeader("Content-Length", length);
  response.end(content);
}

/**
 * Sends a text, compressed where the client accepts it. Only reads are compressed: answers to POST hold tokens and
 * signatures, whose length must not depend on the text beside them. A strong ETag names exact bytes, so only the
 * uncompressed text keeps it, except where it is the digest of a document that never changes (a replay): caches
 * distinguish the encodings by `Vary`, and there are no ranges.
 */
export async function sendText(response: Response, text: string): Promise<void> {
  const length = Buffer.byteLength(text);
  const isExact =
    response.get("ETag")?.startsWith('"') === true && !/immutable/.test(response.get("Cache-Control") ?? "");
  const isFixed = response.get("Content-Encoding") !== undefined || isExact;
  if (response.req.method !== "GET" || length < COMPRESSED_MIN_BYTES || isFixed) return endText(response, text, length);
  response.vary("Accept-Encoding");
  const encoding = chooseEncoding(response.req);
  if (encoding === null) return endText(response, text, length);
  const bytes = Buffer.from(text);
  const compressed = await (encoding === "br" ? brotli(bytes, BROTLI_OPTIONS) : deflate(bytes, {}));
  response.setHeader("Content-Encoding", encoding);
  endText(response, compressed, compressed.length);
}
