import type { IncomingMessage } from "node:http";

/**
 * Counts the sockets that have not shown a valid token yet, from the first byte of their upgrade on. Known ones are
 * bounded elsewhere: by seats, by one player for each session and by the limits on tokens.
 */
export class Strangers {
  readonly #max: number;
  readonly #perIpMax: number | null;
  readonly #byIp = new Map<string, number>();
  #count = 0;

  /** `perIpMax`: null where addresses are not limited. */
  constructor(max: number, perIpMax: number | null) {
    this.#max = max;
    this.#perIpMax = perIpMax;
  }

  get count(): number {
    return this.#count;
  }

  /** Null where there are too many; else what to call once the socket is known or gone, whichever comes first. */
  enter(ip: string): (() => void) | null {
    const ofIp = this.#byIp.get(ip) ?? 0;
    if (this.#count >= this.#max || (this.#perIpMax !== null && ofIp >= this.#perIpMax)) return null;
    this.#count += 1;
    this.#byIp.set(ip, ofIp + 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#count -= 1;
      const left = (this.#byIp.get(ip) ?? 1) - 1;
      if (left === 0) this.#byIp.delete(ip);
      else this.#byIp.set(ip, left);
    };
  }
}

/**
 * The address of the client. Behind a proxy it is the last one that the proxy added to `X-Forwarded-For`, as Express
 * reads it with one trusted hop.
 */
export function forwardedAddress(request: IncomingMessage, trustProxy: boolean): string {
  const chain = trustProxy ? String(request.headers["x-forwarded-for"] ?? "") : "";
  return chain.split(",").at(-1)?.trim() || request.socket.remoteAddress || "unknown";
}
