/** A body is longer than the caller takes. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";

  constructor(bytesMax: number) {
    super(`the body has more than ${bytesMax} bytes`);
  }
}

/** The text of a response of up to `bytesMax` bytes. Throws `BodyTooLargeError`, and what the connection throws. */
export async function readBounded({ body }: Pick<Response, "body">, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new BodyTooLargeError(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
