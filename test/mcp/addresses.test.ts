import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { WebSocket } from "ws";
import { ADDRESS_LIMITS } from "../../domain/limits/limits.ts";
import { useTestStack } from "../helpers/suite.ts";
import { createHttpMcpClient } from "./mcp-client.ts";

const UNKNOWN = "/ws/flappybots/play?sessionId=00000000-0000-7000-8000-000000000000";
/** Below the limit of requests, and more often than the limit of upgrades gives one back. */
const AGAIN_MS = 25;

describe("callers of /mcp", () => {
  const stack = useTestStack({ env: { ARCADE_RATE_LIMITS: "on", ARCADE_TRUST_PROXY: "true" } });

  /** The status of an upgrade from this machine's address, which is also that of the process of /mcp. */
  async function upgrade(): Promise<number> {
    const socket = new WebSocket(stack.httpUrl.replace("http", "ws") + UNKNOWN);
    const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
    response.resume();
    return response.statusCode!;
  }

  it("open sockets as clients at their own addresses", async () => {
    // The limit gives one back each second.
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429) statuses.push(await upgrade());
    expect(statuses.length).to.be.within(ADDRESS_LIMITS.upgrades.limit + 1, 2 * ADDRESS_LIMITS.upgrades.limit);
    expect(new Set(statuses)).to.deep.equal(new Set([404, 429]));
    let isOver = false;
    const others = (async () => {
      while (!isOver) {
        await upgrade();
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    })();
    const policy = "() => null";
    const headers = { "x-forwarded-for": "192.0.2.7" };
    const mcp = createHttpMcpClient(stack.httpUrl, () => null, headers);
    const { body } = await mcp.call("play", { slug: "flappybots", policy, practice: true });
    isOver = true;
    await others;
    expect(body).to.include({ phase: "ended", error: null });
  });
});
