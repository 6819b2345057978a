import { type RawData, WebSocket } from "ws";
import type { CloseReason } from "../../domain/protocol/rules.ts";

/** `ws` closes without a reason text after errors that it detects; clients expect one. */
const CLOSE_REASONS: { readonly [code: number]: CloseReason } = {
  1002: "PROTOCOL_ERROR",
  1007: "INVALID_TEXT",
  1009: "TOO_BIG",
};

/**
 * A server's socket whose close frames always have a reason, and which emits `closing` when either side begins to
 * close: the peer may keep the connection open long after that.
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
