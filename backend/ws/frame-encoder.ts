import { type RawData, WebSocket } from "ws";

const FIN_BIT = 0x80;
const OPCODES = { text: 0x1, binary: 0x2 } as const;

/**
 * Encodes one unmasked text message for the wire (RFC 6455, section 5.2), so that every socket sends the same buffer.
 * For sockets without extensions only.
 */
export function encodeTextFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const { buffer, headerLength } = allocateFrame(OPCODES.text, length);
  buffer.write(text, headerLength);
  return buffer;
}

/** The same for a binary message. */
export function encodeBinaryFrame(bytes: Uint8Array): Buffer {
  const { buffer, headerLength } = allocateFrame(OPCODES.binary, bytes.length);
  buffer.set(bytes, headerLength);
  return buffer;
}

/** A buffer with its header written and room for the payload. */
function allocateFrame(opcode: number, length: number): { readonly buffer: Buffer; readonly headerLength: number } {
  const headerLength = length < 126 ? 2 : length < 65536 ? 4 : 10;
  const buffer = Buffer.allocUnsafe(headerLength + length);
  buffer[0] = FIN_BIT | opcode;
  if (headerLength === 2) buffer[1] = length;
  else if (headerLength === 4) {
    buffer[1] = 126;
    buffer.writeUInt16BE(length, 2);
  } else {
    buffer[1] = 127;
    buffer.writeBigUInt64BE(BigInt(length), 2);
  }
  return { buffer, headerLength };
}

/** `ws` closes without a reason text after errors that it finds itself; clients expect one. */
const CLOSE_REASONS: { readonly [code: number]: string } = { 1009: "TOO_BIG" };

/**
 * A server's socket whose close frames always have a reason, and which emits `closing` when either side begins to close:
 * the peer may keep the connection open long after that.
 */
export class ServerWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason ?? (code === undefined ? undefined : CLOSE_REASONS[code]));
    this.emit("closing");
  }
}

/** The text of a message. `ws` passes messages as one buffer by default. */
export function toText(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString("utf8");
  return Array.isArray(data) ? Buffer.concat(data).toString("utf8") : Buffer.from(data).toString("utf8");
}
