import { once } from "node:events";
import { expect } from "chai";
import { WebSocket } from "ws";
import { createClient, playSession } from "../../client/index.ts";
import { ADDRESS_LIMITS } from "../../domain/limits/limits.ts";
import { StillClock } from "../helpers/still-clock.ts";
import { useTestStack } from "../helpers/suite.ts";

const slug = "shellrunners";
const source = "browser_ws";

describe("client: a service that is full or limits its address", () => {
  const clock = new StillClock();
  const stack = useTestStack({ env: { ARCADE_RATE_LIMITS: "on", ARCADE_SESSIONS_MAX: "1" }, clock });

  it("waits for Retry-After when all places are taken, and then gets one", async () => {
    const waitsMs: number[] = [];
    const player = createClient({ baseUrl: stack.httpUrl });
    const first = await player.sessions.start({ slug, source });
    const sleep = async (ms: number) => {
      waitsMs.push(ms);
      const { sessionId } = first;
      await player.sessions.end({ slug, sessionId }, { token: first.practiceToken! });
    };
    const client = createClient({ baseUrl: stack.httpUrl, retry: { sleep, random: () => 0 } });
    const second = await client.sessions.start({ slug, source });
    expect(waitsMs, "Retry-After of SERVER_FULL").to.deep.equal([30_000]);
    await client.sessions.end({ slug, sessionId: second.sessionId }, { token: second.practiceToken! });
  });

  it("plays although the upgrade is rejected with 429 at first", async () => {
    const client = createClient({ baseUrl: stack.httpUrl, retry: { random: () => 1 } });
    const session = await client.sessions.start({ slug, source });
    const { sessionId, practiceToken } = session;
    const open = async (): Promise<number> => {
      const socket = new WebSocket(session.wsUrl.replace(slug, "nowhere"));
      socket.on("error", () => {});
      const [, response] = await once(socket, "unexpected-response");
      response.resume();
      socket.terminate();
      return response.statusCode;
    };
    const statuses: number[] = [];
    for (let count = 0; count <= ADDRESS_LIMITS.upgrades.limit + 5; count += 1) statuses.push(await open());
    expect(statuses).to.include(429);
    const closes: number[] = [];
    const end = await playSession({
      client,
      session,
      bot: () => null,
      onReconnect: ({ closeCode }) => {
        closes.push(closeCode);
        clock.advance(ADDRESS_LIMITS.upgrades.windowSeconds * 1000);
      },
      onHello: () => void client.sessions.end({ slug, sessionId }, { token: practiceToken! }),
    });
    expect(end.endReason).to.equal("ended_by_player");
    expect(closes[0], "rejected before it was open").to.equal(1006);
  });
});
