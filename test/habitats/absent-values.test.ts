/** Fields without a value, booleans and byte-order marks, as serializers of other languages write them. */
import { once } from "node:events";
import { expect } from "chai";
import { WebSocket } from "ws";
import { useTestStack } from "../helpers/suite.ts";

describe("a request of another language's serializer", () => {
  const stack = useTestStack();
  const start = (fields: object) =>
    stack.request("POST", "/api/games/flappybots/sessions/start", { body: { source: "browser_ws", ...fields } });

  it("may have null for optional fields of a body, and for no others", async () => {
    const { status, body } = await start({ walletAddress: null, forfeitPending: null, lockstep: null });
    expect(status, JSON.stringify(body)).to.equal(200);
    const required = await start({ source: null, lockstep: null });
    expect(required.body).to.include({ code: "VALIDATION_FAILED" });
    expect(required.body.error).to.match(/source: .*received null\.$/);
    for (const name of ["chainId", "toString"]) {
      const unknown = await start({ [name]: null });
      expect(unknown.body, name).to.include({ code: "UNKNOWN_FIELD" });
    }
  });

  it("may have null in a body with rules across its fields", async () => {
    const walletAddress = stack.accounts[0]!.address;
    const consent = { sponsor: null, consent: null, nonce: null, deadline: null, chainId: null, services: null };
    const { status, body } = await stack.request("POST", "/api/identity/register", {
      body: { walletAddress, agentName: "Pinch", agentType: null, image: null, ...consent },
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.metadata).to.not.have.property("image", null);
    const profile = await stack.request("POST", "/api/agents/profile/get", { body: { walletAddress, agentId: null } });
    expect(profile.status, JSON.stringify(profile.body)).to.equal(200);
  });

  it("may have booleans of Python in a query", async () => {
    const board = (query: string) => stack.request("GET", `/api/leaderboard?${query}`);
    for (const query of ["hideZero=true", "hideZero=True", "hideZero=FALSE", "hideZero=1", "hideZero=0"])
      expect((await board(query)).status, query).to.equal(200);
    for (const query of ["hideZero=yes", "hideZero=2", "hideZero=constructor", "hideZero="])
      expect((await board(query)).status, query).to.equal(400);
    const error = (await board("hideZero=yes")).body.error as string;
    expect(error).to.include('hideZero: expected "true" or "false", received "yes"');
  });

  it("may have null members and a byte-order mark in messages of a socket", async () => {
    const { body } = await start({});
    const socket = new WebSocket(body.wsUrl);
    const received: { readonly t: string }[] = [];
    socket.on("message", (text) => received.push(JSON.parse(String(text))));
    await once(socket, "open");
    const send = (message: object) => socket.send(`\ufeff${JSON.stringify({ seq: null, dir: null, ...message })}`);
    const waitFor = async (t: string) => {
      while (!received.some((message) => message.t === t)) {
        await once(socket, "message");
        expect(received.filter((message) => message.t === "error")).to.deep.equal([]);
      }
    };
    send({ t: "auth", token: body.playToken, entropy: null });
    await waitFor("hello");
    send({ t: "action", action: "FLAP", cmd: null });
    send({ t: "ping" });
    await waitFor("pong");
    socket.close();
  });
});
