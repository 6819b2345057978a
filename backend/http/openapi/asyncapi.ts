/**
 * `/asyncapi.json`: AsyncAPI 3.0 (https://www.asyncapi.com/docs/reference/specification/v3.0.0) from the channels'
 * schemas.
 */

import type { z } from "zod";
import { CHANNEL_LIMITS } from "../../../domain/limits/limits.ts";
import * as protocol from "../../../domain/protocol/messages.ts";
import { type JsonSchema, toJsonSchema } from "./schema.ts";

type Json = { readonly [key: string]: unknown };

/** Who sends which messages. A message missing here would not be validated either. */
const CLIENT_MESSAGES = {
  auth: protocol.authMessage,
  input: protocol.inputMessage,
  action: protocol.actionMessage,
  cmd: protocol.cmdMessage,
  ping: protocol.pingMessage,
} as const;
const SERVER_MESSAGES = {
  hello: protocol.helloMessage,
  frame: protocol.frameMessage,
  event: protocol.eventMessage,
  end: protocol.endMessage,
  error: protocol.errorMessage,
  pong: protocol.pongMessage,
  compact: protocol.compactMessage,
} as const;
const SENT_MESSAGES = { play: ["auth", "input", "action", "cmd", "ping"], spectate: ["auth", "ping"] } as const;
const COMMON_SERVER_MESSAGES = (Object.keys(SERVER_MESSAGES) as readonly (keyof typeof SERVER_MESSAGES)[]).filter(
  (name) => name !== "compact",
);
const RECEIVED_MESSAGES = { play: COMMON_SERVER_MESSAGES, spectate: [...COMMON_SERVER_MESSAGES, "compact"] } as const;

const EXAMPLES: { readonly [name: string]: Json } = {
  auth: { t: "auth", token: "ap_0123456789abcdef0123456789abcdef" },
  input: { t: "input", dir: "left", seq: 7 },
  action: { t: "action", action: "FLAP" },
  cmd: { t: "cmd", cmd: "pause" },
  ping: { t: "ping" },
  pong: { t: "pong" },
  error: { t: "error", code: "BAD_MESSAGE", error: "This channel does not know this message.", fatal: false },
};

function toMessage(name: string, schema: z.ZodType): Json {
  const { description, ...payload } = toJsonSchema(schema) as JsonSchema;
  return {
    name,
    title: name,
    ...(description === undefined ? {} : { summary: description }),
    contentType: "application/json",
    payload,
    ...(EXAMPLES[name] === undefined ? {} : { examples: [{ name, payload: EXAMPLES[name] }] }),
  };
}

const CLOSE_CODES_TEXT = Object.entries(protocol.CLOSE_REASONS)
  .map(([reason, { code, title, reconnect }]) => `- ${code} \`${reason}\`: ${title}; reconnect: ${reconnect}`)
  .join("\n");

const COMPACT_DESCRIPTION =
  "Frames come as binary messages of about a tenth of the size (docs/compact-spectating.md); `compact` messages announce their dictionaries.";

const toChannel = (role: keyof typeof SENT_MESSAGES, slugs: readonly string[]): Json => ({
  address: `/ws/{slug}/${role}`,
  title: role,
  description: `The first message is \`auth\` with a ${role} token, within ${CHANNEL_LIMITS.authSeconds} s; until \`hello\` the client may send nothing else, not even control frames. Messages are JSON text of at most ${CHANNEL_LIMITS.messageBytes[role]} bytes. The rates of frames of every kind and of bytes are limited (docs/limits.md).\n\nClose codes:\n${CLOSE_CODES_TEXT}`,
  parameters: { slug: { description: "Game slug", enum: slugs } },
  messages: Object.fromEntries(
    [...SENT_MESSAGES[role], ...RECEIVED_MESSAGES[role]].map((name) => [
      name,
      { $ref: `#/components/messages/${name}` },
    ]),
  ),
  bindings: {
    ws: {
      method: "GET",
      query: {
        type: "object",
        required: ["sessionId"],
        properties: {
          sessionId: { type: "string", format: "uuid" },
          ...(role === "spectate"
            ? { enc: { type: "string", enum: ["compact"], description: COMPACT_DESCRIPTION } }
            : {}),
        },
      },
      bindingVersion: "0.1.0",
    },
  },
});

const toOperation = (action: "send" | "receive", role: keyof typeof SENT_MESSAGES, names: readonly string[]): Json => ({
  action,
  channel: { $ref: `#/channels/${role}` },
  summary: `What a ${role === "play" ? "player" : "spectator"} ${action === "send" ? "sends" : "gets"}`,
  messages: names.map((name) => ({ $ref: `#/channels/${role}/messages/${name}` })),
});

/** The whole document, from a client's point of view. `wsUrl`: null or empty if the service's address is not known. */
export function createAsyncApiDocument(slugs: readonly string[], wsUrl: string | null): Json {
  const serverUrl = wsUrl !== null && URL.canParse(wsUrl) ? new URL(wsUrl) : null;
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Agent Arcade channels",
      version: "1.0.0",
      description: "The play and spectate channels: JSON text messages, discriminated by `t`.",
      license: { name: "MIT" },
    },
    defaultContentType: "application/json",
    ...(serverUrl === null
      ? {}
      : { servers: { arcade: { host: serverUrl.host, protocol: serverUrl.protocol.replace(":", "") } } }),
    channels: { play: toChannel("play", slugs), spectate: toChannel("spectate", slugs) },
    operations: {
      sendToPlay: toOperation("send", "play", SENT_MESSAGES.play),
      receiveFromPlay: toOperation("receive", "play", RECEIVED_MESSAGES.play),
      sendToSpectate: toOperation("send", "spectate", SENT_MESSAGES.spectate),
      receiveFromSpectate: toOperation("receive", "spectate", RECEIVED_MESSAGES.spectate),
    },
    components: {
      messages: Object.fromEntries(
        Object.entries({ ...CLIENT_MESSAGES, ...SERVER_MESSAGES }).map(([name, schema]) => [
          name,
          toMessage(name, schema),
        ]),
      ),
    },
  };
}
