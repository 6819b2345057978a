/** The bytes of unmasked WebSocket messages (RFC 6455, section 5.2), for sockets without extensions only. */

const FIN_BIT = 0x80;
const MASK_BIT = 0x80;
const OPCODES = { text: 0x1, binary: 0x2 } as const;
/** First bytes of lengths that follow in 16 and in 64 bits. */
const LENGTH_16_BITS = 126;
const LENGTH_64_BITS = 127;

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

/** The offsets of a message in `buffer`: its start, its payload and its end. */
export interface FrameBounds {
  readonly start: number;
  readonly payloadStart: number;
  readonly end: number;
}

/** The text messages that fill `buffer`; null if it holds anything else. */
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
  const payloadStart = start + 2 + getExtraLengthBytes(lengthByte);
  if (payloadStart > buffer.length) return null;
  const end = payloadStart + readLength(buffer, start + 1);
  return end <= buffer.length ? { start, payloadStart, end } : null;
}

/** The first byte of a length: the length itself if it is below 126. */
function toLengthByte(length: number): number {
  if (length < LENGTH_16_BITS) return length;
  return length < 2 ** 16 ? LENGTH_16_BITS : LENGTH_64_BITS;
}

/** Bytes after the first one of a length (RFC 6455, section 5.2). */
export function getExtraLengthBytes(lengthByte: number): 0 | 2 | 8 {
  if (lengthByte < LENGTH_16_BITS) return 0;
  return lengthByte === LENGTH_16_BITS ? 2 : 8;
}

function readLength(buffer: Buffer, offset: number): number {
  const lengthByte = buffer.readUInt8(offset);
  if (lengthByte < LENGTH_16_BITS) return lengthByte;
  if (lengthByte === LENGTH_16_BITS) return buffer.readUInt16BE(offset + 1);
  return Number(buffer.readBigUInt64BE(offset + 1));
}

/** A buffer with its header written and room for the payload. */
function allocateFrame(opcode: number, length: number): { readonly buffer: Buffer; readonly headerLength: number } {
  const lengthByte = toLengthByte(length);
  const headerLength = 2 + getExtraLengthBytes(lengthByte);
  const buffer = Buffer.allocUnsafe(headerLength + length);
  buffer[0] = FIN_BIT | opcode;
  buffer[1] = lengthByte;
  if (lengthByte === LENGTH_16_BITS) buffer.writeUInt16BE(length, 2);
  if (lengthByte === LENGTH_64_BITS) buffer.writeBigUInt64BE(BigInt(length), 2);
  return { buffer, headerLength };
}
