import { expect } from "chai";
import { CHANNEL_LIMITS } from "../../../domain/limits/limits.ts";
import {
  authMessage,
  CLOSE_REASONS,
  playerMessage,
  serverMessage,
  spectatorMessage,
} from "../../../domain/protocol/messages.ts";
import { games } from "../../../games/index.ts";

describe("the protocol", () => {
  const token = `ap_${"A".repeat(43)}`;

  it("accepts every input of every game, and the commands, with and without seq", () => {
    const commands = ["pause", "resume", "exit"].map((cmd) => ({ t: "cmd", cmd }));
    for (const message of [...games.flatMap((game) => game.inputs.map((input) => input.message)), ...commands]) {
      expect(playerMessage.safeParse(message).success).to.equal(true);
      expect(playerMessage.safeParse({ ...message, seq: 12 }).success).to.equal(true);
      expect(playerMessage.safeParse({ ...message, seq: "12" }).success).to.equal(false);
      expect(playerMessage.safeParse({ ...message, more: 1 }).success).to.equal(false);
      expect(spectatorMessage.safeParse(message).success).to.equal(false);
    }
  });

  it("accepts only play and spectate tokens as authentication", () => {
    expect(authMessage.safeParse({ t: "auth", token }).success).to.equal(true);
    expect(authMessage.safeParse({ t: "auth", token: token.replace("ap_", "as_") }).success).to.equal(true);
    for (const bad of [token.replace("ap_", "aa_"), "ap_", `${token}\n`, `${token}!`, 7, null]) {
      expect(authMessage.safeParse({ t: "auth", token: bad }).success).to.equal(false);
    }
  });

  it("distinguishes all messages of the server by `t`", () => {
    expect(serverMessage.safeParse({ t: "pong" }).success).to.equal(true);
    expect(serverMessage.safeParse({ t: "event", event: "collected", tick: 4, kind: "pearl" }).success).to.equal(true);
    expect(serverMessage.safeParse({ t: "news" }).success).to.equal(false);
  });

  it("fits every reason into a close frame, and every code into its registered range", () => {
    for (const [reason, { code }] of Object.entries(CLOSE_REASONS)) {
      expect(reason).to.match(/^[A-Z_]{1,123}$/);
      expect([1000, 1002, 1007, 1009, 1012].includes(code) || (code >= 4000 && code < 5000)).to.equal(true);
    }
    expect(CHANNEL_LIMITS.authBytes).to.be.at.most(CHANNEL_LIMITS.messageBytes.spectate);
  });
});
