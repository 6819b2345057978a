/** A text as a response body: uncompressed, and compressed off the thread that ticks the games. */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { chooseEncoding, type Encoding } from "./encodings.ts";

/** A smaller text fits in one packet, compressed or not. */
const COMPRESSED_MIN_BYTES = 1024;

const brotli = promisify<Buffer, object, Buffer>(brotliCompress);
const deflate = promisify<Buffer, Buffer>(gzip);
/** Quality 4 takes about as long as gzip's default and compresses better. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

export const isCompressible = (content: string | Buffer): boolean => Buffer.byteLength(content) >= COMPRESSED_MIN_BYTES;

export const compress = (bytes: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === "br" ? brotli(bytes, BROTLI_OPTIONS) : deflate(bytes);

/** A body that is sent many times. */
export class TextBody {
  readonly #bytes: Buffer;
  /** Each is created once, when a client first requests it. */
  readonly #compressed: { [encoding in Encoding]?: Buffer | Promise<Buffer> } = {};
  #digest: string | null = null;

  /** Bytes are sent unchanged: pictures are compressed already. */
  readonly #isText: boolean;

  constructor(content: string | Buffer) {
    this.#isText = typeof content === "string";
    this.#bytes = Buffer.isBuffer(content) ? content : Buffer.from(content);
  }

  chooseEncoding(request: IncomingMessage): Encoding | null {
    return this.#isText && isCompressible(this.#bytes) ? chooseEncoding(request) : null;
  }

  /** The strong tag of one form (RFC 9110 §8.8.1). */
  getTag(encoding: Encoding | null): string {
    this.#digest ??= createHash("sha256").update(this.#bytes).digest("base64url").slice(0, 22);
    return `"${this.#digest}.${encoding ?? "plain"}"`;
  }

  encode(encoding: Encoding | null): Buffer | Promise<Buffer> {
    if (encoding === null) return this.#bytes;
    this.#compressed[encoding] ??= compress(this.#bytes, encoding).then((bytes) => {
      this.#compressed[encoding] = bytes;
      return bytes;
    });
    return this.#compressed[encoding];
  }
}
