/** The bytes of a kept response in each encoding; only the id of the request is put in when it is sent. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants, crc32, createBrotliCompress, deflateRaw, gzip } from "node:zlib";
import { BROTLI_OPTIONS, COMPRESSED_MIN_BYTES, ENCODINGS, type Encoding } from "../responses/compression.ts";

/** Characters of the request ids that the service makes (UUID). Other ids cannot be put into a body in brotli. */
const ID_LENGTH = 36;
const createHead = (requestId: string): string => `{"ok":true,"requestId":"${requestId}",`;
/** Characters that JSON cannot hold and that differ from each other: nothing behind it refers back to them. */
const PLACEHOLDER = String.fromCharCode(
  ...Array.from({ length: ID_LENGTH }, (_, index) => (index < 31 ? 1 : 96) + index),
);

const brotli = promisify<Buffer, object, Buffer>(brotliCompress);
const unbrotli = promisify<Buffer, Buffer>(brotliDecompress);
const deflate = promisify<Buffer, Buffer>(deflateRaw);
const compressGzip = promisify<Buffer, Buffer>(gzip);

/** The body of a response in one encoding, with the id of the request. */
export interface KeptBody {
  /** Strong (RFC 9110 §8.8.1) together with encoding and id of the request: the digest of all other bytes. */
  readonly digest: string;
  /** Whether the id of the request is in the body. */
  readonly hasId: boolean;
  /** In which encodings a response with this id can be sent, besides the plain form. */
  listEncodings(requestId: string): readonly Encoding[];
  encode(encoding: Encoding | null, requestId: string): Buffer | Promise<Buffer>;
}

const createDigest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22);

/** Makes each form when it is first asked for. */
function once<T>(make: () => Promise<T>): () => T | Promise<T> {
  let made: T | Promise<T> | undefined;
  return () => {
    made ??= make().then((value) => {
      made = value;
      return value;
    });
    return made;
  };
}

/** A whole text without envelope. */
export function createPlainBody(text: string): KeptBody {
  const bytes = Buffer.from(text);
  const forms = { br: once(() => brotli(bytes, BROTLI_OPTIONS)), gzip: once(() => compressGzip(bytes)) };
  return {
    digest: createDigest(text),
    hasId: false,
    listEncodings: () => (bytes.length < COMPRESSED_MIN_BYTES ? [] : ENCODINGS),
    encode: (encoding) => (encoding === null ? bytes : forms[encoding]()),
  };
}

/** The envelope around the fields of a JSON object, which must not be empty. */
export function createEnvelopeBody(fields: object): KeptBody {
  const rest = JSON.stringify(fields).slice(1);
  if (rest === "}") throw new Error("a kept response has no fields");
  const restBytes = Buffer.from(rest);
  const isSmall = restBytes.length + createHead(PLACEHOLDER).length < COMPRESSED_MIN_BYTES;
  const forms = { br: once(() => compressRest(restBytes)), gzip: once(() => deflate(restBytes)) };
  const joins = { br: joinBrotli, gzip: (head: Buffer, tail: Buffer) => joinGzip(head, tail, restBytes) };
  return {
    digest: createDigest(rest),
    hasId: true,
    listEncodings: ({ length }) => {
      if (isSmall) return [];
      return length === ID_LENGTH ? ENCODINGS : ["gzip"];
    },
    encode: (encoding, requestId) => {
      const head = Buffer.from(createHead(requestId), "latin1");
      if (encoding === null) return Buffer.concat([head, restBytes]);
      const tail = forms[encoding]();
      if (tail instanceof Promise) return tail.then((ready) => joins[encoding](head, ready));
      return joins[encoding](head, tail);
    },
  };
}

/** A gzip file (RFC 1952) of a stored block (RFC 1951 §3.2.4) with the head, and the deflated rest. */
function joinGzip(head: Buffer, deflated: Buffer, rest: Buffer): Buffer {
  const start = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0]);
  start.writeUInt16LE(head.length, 11);
  start.writeUInt16LE(~head.length & 0xffff, 13);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(rest, crc32(head)), 0);
  end.writeUInt32LE(head.length + rest.length, 4);
  return Buffer.concat([start, head, deflated, end]);
}

const BROTLI_WINDOW_BITS = 22;
const BROTLI_WINDOW_CODE = 0b1011;

/** A brotli stream (RFC 7932 §9) of an uncompressed meta-block with the head, and the compressed rest. */
function joinBrotli(head: Buffer, compressedRest: Buffer): Buffer {
  const start = Buffer.alloc(3);
  // From the lowest bit: window (4 bits), not the last block (1), length in four digits (2), length (16), uncompressed (1).
  start.writeUIntLE(BROTLI_WINDOW_CODE + ((head.length - 1) << 7) + 2 ** 23, 0, 3);
  return Buffer.concat([start, head, compressedRest]);
}

/**
 * Compresses what follows a head. Its references depend on the head's length and last two bytes, which do not vary, and
 * never lead to the id.
 */
async function compressRest(rest: Buffer): Promise<Buffer> {
  const head = Buffer.from(createHead(PLACEHOLDER), "latin1");
  const stream = createBrotliCompress({
    params: { ...BROTLI_OPTIONS.params, [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS },
  });
  stream.write(head);
  await new Promise<void>((resolve) => stream.flush(constants.BROTLI_OPERATION_FLUSH, resolve));
  // The compressed head; `joinBrotli` writes another one.
  stream.read();
  stream.end(rest);
  const compressed = Buffer.concat(await stream.toArray());
  const unpacked = await unbrotli(joinBrotli(head, compressed));
  if (!unpacked.equals(Buffer.concat([head, rest]))) throw new Error("a kept body cannot be unpacked from brotli");
  return compressed;
}
