import { type RawData, WebSocket } from "ws";

const FINAL = 0x80;
const OPCODES = { text: 0x1, binary: 0x2 } as const;

/**
 * One unmasked text message as it stands on the wire (RFC 6455 §5.2), so that one buffer serves every socket.
 * Only for sockets without extensions.
 */
export function frameText(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const { buffer, headerLength } = openFrame(OPCODES.text, length);
  buffer.write(text, headerLength);
  return buffer;
}

/** As `frameText`, for a binary message. */
export function frameBinary(bytes: Uint8Array): Buffer {
  const { buffer, headerLength } = openFrame(OPCODES.binary, bytes.length);
  buffer.set(bytes, headerLength);
  return buffer;
}

/** A buffer with its header written and room for the payload. */
function openFrame(opcode: number, length: number): { readonly buffer: Buffer; readonly headerLength: number } {
  const headerLength = length < 126 ? 2 : length < 65536 ? 4 : 10;
  const buffer = Buffer.allocUnsafe(headerLength + length);
  buffer[0] = FINAL | opcode;
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

/** Faults that `ws` finds by itself close without a reason text; a client reads ours. */
const REASONS: { readonly [code: number]: string } = { 1009: "TOO_BIG" };

/**
 * A server's socket whose close frames always carry their reason, and which tells by `closing` that either side has
 * begun to close: the peer of a socket may keep the connection open long after that.
 */
export class ReasonedWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason ?? (code === undefined ? undefined : REASONS[code]));
    this.emit("closing");
  }
}

/** The text of a message. `ws` hands messages over as one buffer unless it is told otherwise. */
export function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString("utf8");
  return Array.isArray(data) ? Buffer.concat(data).toString("utf8") : Buffer.from(data).toString("utf8");
}
