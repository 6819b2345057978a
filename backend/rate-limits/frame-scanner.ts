import { getExtraLengthBytes } from "../../domain/protocol/websocket-frames.ts";

const FIN_BIT = 0x80;
const MASK_BIT = 0x80;
const OPCODES = { text: 0x1, binary: 0x2, close: 0x8 } as const;

/**
 * Counts the frames in a stream of bytes by their headers (RFC 6455 §5.2), before they are parsed as messages. Bytes that
 * are not frames give a wrong count, but the parser then closes the socket.
 */
export class FrameScanner {
  /** Frames of every kind that have begun. */
  frames = 0;
  /** Pings, pongs and parts of fragmented messages among them. */
  controlsAndFragments = 0;
  /** Bytes of the current header that were read, and its length. */
  #headerRead = 0;
  #headerLength = 0;
  #lengthBytes = 0;
  #payloadLength = 0;
  #payloadLeft = 0;

  scan(chunk: Uint8Array): void {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#payloadLeft > 0) {
        const skipped = Math.min(this.#payloadLeft, chunk.length - offset);
        this.#payloadLeft -= skipped;
        offset += skipped;
      } else {
        this.#readHeaderByte(chunk[offset]!);
        offset += 1;
      }
    }
  }

  #readHeaderByte(byte: number): void {
    this.#headerRead += 1;
    if (this.#headerRead === 1) {
      this.#countFrame(byte);
      return;
    }
    if (this.#headerRead === 2) {
      const length = byte & 0x7f;
      this.#lengthBytes = getExtraLengthBytes(length);
      this.#payloadLength = this.#lengthBytes === 0 ? length : 0;
      this.#headerLength = 2 + this.#lengthBytes + ((byte & MASK_BIT) === 0 ? 0 : 4);
    } else if (this.#headerRead <= 2 + this.#lengthBytes) {
      this.#payloadLength = this.#payloadLength * 256 + byte;
    }
    if (this.#headerRead < this.#headerLength) return;
    this.#payloadLeft = this.#payloadLength;
    this.#headerRead = 0;
  }

  #countFrame(firstByte: number): void {
    const opcode = firstByte & 0x0f;
    const isWhole = (firstByte & FIN_BIT) !== 0 && (opcode === OPCODES.text || opcode === OPCODES.binary);
    this.frames += 1;
    if (!isWhole && opcode !== OPCODES.close) this.controlsAndFragments += 1;
  }
}
