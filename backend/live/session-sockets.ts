import type { ChannelSocket } from "../ports/live-channels.ts";

/** The sockets of a session, which it may have to close. Only the player's latest socket stays open. */
export class SessionSockets {
  readonly #sockets = new Map<string, ChannelSocket>();
  #player: ChannelSocket | null = null;

  /** Adds a socket and closes the player's previous one; the returned function removes it. */
  add(socket: ChannelSocket): () => void {
    this.#sockets.set(socket.tokenHash, socket);
    if (socket.role === "play") {
      const displaced = this.#player;
      this.#player = socket;
      displaced?.close("DISPLACED");
    }
    return () => {
      this.#sockets.delete(socket.tokenHash);
      if (this.#player === socket) this.#player = null;
    };
  }

  /** Closes the socket that a revoked token opened, if it is open. */
  closeRevoked(tokenHash: string): void {
    this.#sockets.get(tokenHash)?.close("TOKEN_REVOKED");
  }
}
