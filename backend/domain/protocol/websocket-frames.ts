/** The bytes of unmasked WebSocket messages (RFC 6455, section 5.2), for sockets without extensions only. */

const FIN_BIT = 0x80;
const MASK_BIT = 0x80;
const OPCODES = { text: 0x1, binary: 0x2 } as const;

/** Encodes one text message for the wire, so that every socket sends the same buffer. */
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

/** Where a message begins in `buffer`, where its payload begins, and where it ends. */
export interface FrameBounds {
  readonly start: number;
  readonly payloadStart: number;
  readonly end: number;
}

/** The text messages that fill `buffer`; null where it holds anything else. */
export function findTextFrames(buffer: Buffer): readonly FrameBounds[] | null {
  const frames: FrameBounds[] = [];
  for (let start = 0; start < buffer.length; ) {
    const bounds = readTextFrame(buffer, start);
    if (bounds === null) return null;
    frames.push(bounds);
    start = bounds.end;
  }
  return frames;
}

function readTextFrame(buffer: Buffer, start: number): FrameBounds | null {
  const lengthByte = buffer[start + 1];
  if (buffer[start] !== (FIN_BIT | OPCODES.text) || lengthByte === undefined || lengthByte & MASK_BIT) return null;
  const headerLength = lengthByte < 126 ? 2 : lengthByte === 126 ? 4 : 10;
  const payloadStart = start + headerLength;
  if (payloadStart > buffer.length) return null;
  const length =
    headerLength === 2
      ? lengthByte
      : headerLength === 4
        ? buffer.readUInt16BE(start + 2)
        : Number(buffer.readBigUInt64BE(start + 2));
  const end = payloadStart + length;
  return end <= buffer.length ? { start, payloadStart, end } : null;
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
