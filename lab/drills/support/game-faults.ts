/** Faults that the drills inject into their game server: each removes one safeguard, and its drill has to find it. */

import { LiveSession } from "../../../backend/live/session.ts";
import { SessionSockets } from "../../../backend/live/session-sockets.ts";
import type { ChannelTokenStore } from "../../../backend/ports/store/auth.ts";
import type { Clock } from "../../../backend/ports/system.ts";
import { Connection } from "../../../backend/ws/connection.ts";
import { Place } from "../../../domain/limits/places.ts";
import type { TickBuffers } from "../../../domain/protocol/session-tick.ts";

interface ServerParts {
  readonly clock: { -readonly [K in keyof Clock]: Clock[K] };
  readonly tokens: { -readonly [K in keyof ChannelTokenStore]: ChannelTokenStore[K] };
}

const FAULT_INJECTIONS: { readonly [name: string]: (parts: ServerParts) => void } = {
  /** Queues every tick for every socket, read or not. */
  queue: () => {
    const retained: Buffer[] = [];
    const { sendTick } = Connection.prototype;
    Connection.prototype.sendTick = function (this: Connection, tick: TickBuffers): void {
      retained.push(Buffer.from(tick.whole));
      sendTick.call(this, tick);
    };
  },
  /** Does not close the displaced socket. */
  displace: () => {
    SessionSockets.prototype.add = () => () => {};
  },
  /** Keeps every session that has ended. */
  forget: () => {
    const retained: LiveSession[] = [];
    const { notifyStored: finish } = LiveSession.prototype;
    LiveSession.prototype.notifyStored = function (this: LiveSession, row): void {
      retained.push(this);
      finish.call(this, row);
    };
  },
  /** Never cancels the timers of a socket, and makes them long. */
  timers: ({ clock }) => {
    const { after } = clock;
    clock.after = (delayMs, run) => {
      if (delayMs < 2000) return after(delayMs, run);
      after(delayMs * 100, run);
      return () => {};
    };
  },
  /** Never forgets the connections that an address had open. */
  addresses: () => {
    Place.prototype.release = () => {};
  },
  /** Accepts a used token. */
  reuse: ({ tokens }) => {
    const { find } = tokens;
    tokens.find = async (hash) => {
      const row = await find.call(tokens, hash);
      return row && { ...row, usedAtMs: null };
    };
    tokens.consume = async () => true;
  },
  /** Parses messages before they are checked. */
  parse: () => {
    const { parse } = JSON;
    JSON.parse = (text: string, ...rest: []) => {
      try {
        return parse(text, ...rest);
      } catch (error) {
        setImmediate(() => {
          throw error;
        });
        throw error;
      }
    };
  },
};

/** `name`: from `DRILL_FAULT`. Without one, nothing is changed. */
export const injectFault = (name: string, parts: ServerParts): void => FAULT_INJECTIONS[name]?.(parts);
