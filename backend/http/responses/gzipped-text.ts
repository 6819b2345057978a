/** A large text stored compressed, as the body of a response. It is decompressed only for clients without gzip. */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { acceptsGzip, type Encoding } from "./encodings.ts";
import type { TextBody } from "./text-body.ts";

const inflate = promisify<Buffer, Buffer>(gunzip);

export class GzippedText implements Pick<TextBody, "chooseEncoding" | "getTag" | "encode"> {
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get compressedBytes(): number {
    return this.#bytes.length;
  }

  chooseEncoding(request: IncomingMessage): Encoding | null {
    return acceptsGzip(request) ? "gzip" : null;
  }

  getTag(encoding: Encoding | null): string {
    const digest = createHash("sha256").update(this.#bytes).digest("base64url").slice(0, 22);
    return `"${digest}.${encoding ?? "plain"}"`;
  }

  encode(encoding: Encoding | null): Buffer | Promise<Buffer> {
    return encoding === null ? inflate(this.#bytes) : this.#bytes;
  }
}
