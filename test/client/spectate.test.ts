import { expect } from "chai";
import { formatSpectatorsFull, isApiError } from "../../client/errors.ts";
import { spectate } from "../../client/spectate.ts";
import {
  AT,
  END,
  type FakeChannel,
  frame,
  HELLO,
  sendMessages,
  sessionId,
  slug,
  startFakeChannel,
} from "./fake-channel.ts";
import { createProblem, createServiceClient, fakeWallet } from "./fake-service.ts";

const PUBLIC = `POST ${AT}/spectate-token-public`;
const SIGNED = `POST ${AT}/spectate-token`;

describe("client: spectate", () => {
  let service: FakeChannel["service"];
  let tokens: FakeChannel["tokens"];
  let scheduleSocketActions: FakeChannel["scheduleSocketActions"];
  beforeEach(async () => {
    ({ service, tokens, scheduleSocketActions } = await startFakeChannel());
    service.script[PUBLIC] = () => ({ body: { token: "as_public", wsUrl: service.wsUrl } });
    service.script[SIGNED] = () => ({ body: { token: "as_signed", wsUrl: service.wsUrl } });
    scheduleSocketActions((socket) => sendMessages(socket, { ...HELLO, role: "spectate" }, frame(1), END));
  });
  afterEach(() => service.close());

  it("the client uses the public flow without a sign-in", async () => {
    const { client } = createServiceClient(service);
    expect((await spectate({ client, slug, sessionId })).score).to.equal(12);
    expect(tokens).to.deep.equal(["as_public"]);
  });

  it("the client uses the sign-in when there is one, and the public flow when it is rejected", async () => {
    const { client } = createServiceClient(service, { wallet: fakeWallet });
    await client.signIn.signIn();
    await spectate({ client, slug, sessionId });
    service.script[SIGNED] = () => createProblem(401, "AUTH_REQUIRED", { retryable: false });
    await spectate({ client, slug, sessionId });
    expect(tokens).to.deep.equal(["as_signed", "as_public"]);
  });

  it("the client waits for its seat while a full session has not noticed that its socket is lost", async () => {
    let asked = 0;
    service.script[PUBLIC] = () => {
      asked += 1;
      if (asked === 2) return createProblem(409, "SPECTATORS_FULL", { retryable: false });
      return { body: { token: `as_${asked}`, wsUrl: service.wsUrl } };
    };
    scheduleSocketActions(
      (socket) => {
        sendMessages(socket, { ...HELLO, role: "spectate" });
        socket.close(1012, "SERVER_RESTART");
      },
      (socket) => sendMessages(socket, { ...HELLO, role: "spectate" }, END),
    );
    const { client } = createServiceClient(service);
    expect((await spectate({ client, slug, sessionId })).score).to.equal(12);
    expect(tokens).to.deep.equal(["as_1", "as_3"]);
  });

  it("the client reports how full a session is", async () => {
    service.script[PUBLIC] = () =>
      createProblem(409, "SPECTATORS_FULL", { retryable: false, spectatorsCurrent: 50, spectatorsMax: 50 });
    const { client } = createServiceClient(service);
    const error = await spectate({ client, slug, sessionId }).catch((error: unknown) => error);
    if (!isApiError(error, "SPECTATORS_FULL")) throw error;
    expect(formatSpectatorsFull(error)).to.equal("50/50 spectators limit reached for this livestream");
  });
});
