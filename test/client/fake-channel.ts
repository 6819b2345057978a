/** A session's socket on the fake service: its messages and its behavior after each `auth`. */
import type { SessionRecord } from "../../client/api.ts";
import { createSignInScript, type FakeService, startFakeService } from "./fake-service.ts";

export const slug = "shellrunners";
export const sessionId = "0190f1d5-7c4e-7abc-8def-0123456789ab";
/** The session's path. */
export const AT = `/api/games/${slug}/sessions/${sessionId}`;
/** For a returning player without entropy, whose game has the service's seed. */
export const HELLO = {
  ...{ t: "hello", v: 1, role: "play", slug, sessionId },
  ...{ seedCommitment: `0x${"5e".repeat(32)}`, entropy: "0x", resumed: true, tick: 0, tickHz: 20 },
};
export const END = {
  t: "end",
  sessionId,
  score: 12,
  endReason: "lives_lost",
  replayDigest: `0x${"11".repeat(32)}`,
  next: null,
};
export const frame = (tick: number, phase = "running") => ({
  t: "frame",
  frame: { v: 1, sessionId, slug, tick, phase },
});

const RECORD = {
  sessionId,
  score: 7,
  endReason: "heartbeat_timeout",
  replay: { available: true, digest: END.replayDigest },
  snapshot: { state: "required", gameSessionHash: null, txHash: null },
} as unknown as SessionRecord;

interface FakeSocket {
  send(data: string): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

export const sendMessages = (socket: Pick<FakeSocket, "send">, ...messages: object[]): void => {
  for (const message of messages) socket.send(JSON.stringify(message));
};

/** A service with one session, and the tokens that its sockets were opened with. */
export async function startFakeChannel() {
  const tokens: string[] = [];
  const service: FakeService = await startFakeService({
    ...createSignInScript(),
    [`POST ${AT}/play-token`]: (_, times) => ({ body: { token: `ap_${times}`, wsUrl: service.wsUrl } }),
    [`POST ${AT}/heartbeat`]: () => ({ body: { phase: "running", expiresInSeconds: 60 } }),
    [`GET ${AT}`]: () => ({ body: { session: RECORD } }),
  });
  return {
    service,
    tokens,
    /** The behavior of each socket in turn after its `auth`. Later sockets behave like the last. */
    scheduleSocketActions(...actions: ((socket: FakeSocket) => void)[]): void {
      service.onSocket((socket, token, times) => {
        tokens.push(token);
        actions[Math.min(times, actions.length) - 1]!(socket);
      });
    },
  };
}

export type FakeChannel = Awaited<ReturnType<typeof startFakeChannel>>;
