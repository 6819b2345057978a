/** `/asyncapi.json`: AsyncAPI 3.0 (https://www.asyncapi.com/docs/reference/specification/v3.0.0) from the channels' schemas. */
import type { z } from "zod";
import * as protocol from "../domain/protocol.ts";
import { type JsonSchema, jsonSchemaOf } from "./openapi-schema.ts";

type Json = { readonly [key: string]: unknown };

/** Who sends what where. A message that is missing here would not be validated either. */
const FROM_CLIENT = {
  auth: protocol.authMessage,
  input: protocol.inputMessage,
  action: protocol.actionMessage,
  cmd: protocol.cmdMessage,
  ping: protocol.pingMessage,
} as const;
const FROM_SERVER = {
  hello: protocol.helloMessage,
  frame: protocol.frameMessage,
  event: protocol.eventMessage,
  end: protocol.endMessage,
  error: protocol.errorMessage,
  pong: protocol.pongMessage,
  compact: protocol.compactMessage,
} as const;
const SENDS = { play: ["auth", "input", "action", "cmd", "ping"], spectate: ["auth", "ping"] } as const;
const FOR_ALL = (Object.keys(FROM_SERVER) as readonly (keyof typeof FROM_SERVER)[]).filter(
  (name) => name !== "compact",
);
const RECEIVES = { play: FOR_ALL, spectate: [...FOR_ALL, "compact"] } as const;

const EXAMPLES: { readonly [name: string]: Json } = {
  auth: { t: "auth", token: "ap_0123456789abcdef0123456789abcdef" },
  input: { t: "input", dir: "left", seq: 7 },
  action: { t: "action", action: "FLAP" },
  cmd: { t: "cmd", cmd: "pause" },
  ping: { t: "ping" },
  pong: { t: "pong" },
  error: { t: "error", code: "BAD_MESSAGE", error: "This channel does not know the message.", fatal: false },
};

function messageOf(name: string, schema: z.ZodType): Json {
  const { description, ...payload } = jsonSchemaOf(schema) as JsonSchema;
  return {
    name,
    title: name,
    ...(description === undefined ? {} : { summary: description }),
    contentType: "application/json",
    payload,
    ...(EXAMPLES[name] === undefined ? {} : { examples: [{ name, payload: EXAMPLES[name] }] }),
  };
}

const CLOSE_WORDS = Object.entries(protocol.CLOSES)
  .map(([reason, { code, title, reconnect }]) => `- ${code} \`${reason}\`: ${title}; reconnect: ${reconnect}`)
  .join("\n");

const COMPACT =
  "Frames come as binary messages of about a tenth of the size (docs/compact-spectating.md), announced by `compact`.";

const channelOf = (role: keyof typeof SENDS, slugs: readonly string[]): Json => ({
  address: `/ws/{slug}/${role}`,
  title: role,
  description: `The first message is \`auth\` with a ${role} token, within ${protocol.CHANNEL_LIMITS.authSeconds} s. Messages are JSON text of at most ${protocol.CHANNEL_LIMITS.messageBytes[role]} bytes.\n\nClose codes:\n${CLOSE_WORDS}`,
  parameters: { slug: { description: "Game slug", enum: slugs } },
  messages: Object.fromEntries(
    [...SENDS[role], ...RECEIVES[role]].map((name) => [name, { $ref: `#/components/messages/${name}` }]),
  ),
  bindings: {
    ws: {
      method: "GET",
      query: {
        type: "object",
        required: ["sessionId"],
        properties: {
          sessionId: { type: "string", format: "uuid" },
          ...(role === "spectate" ? { enc: { type: "string", enum: ["compact"], description: COMPACT } } : {}),
        },
      },
      bindingVersion: "0.1.0",
    },
  },
});

const operation = (action: "send" | "receive", role: keyof typeof SENDS, names: readonly string[]): Json => ({
  action,
  channel: { $ref: `#/channels/${role}` },
  summary: `What a ${role === "play" ? "player" : "spectator"} ${action === "send" ? "sends" : "gets"}`,
  messages: names.map((name) => ({ $ref: `#/channels/${role}/messages/${name}` })),
});

/** The whole document, from a client's point of view: it sends and receives. `host`: null where it is not known. */
export function asyncApiDocument(slugs: readonly string[], wsUrl: string | null): Json {
  const at = wsUrl !== null && URL.canParse(wsUrl) ? new URL(wsUrl) : null;
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Agent Arcade channels",
      version: "1.0.0",
      description: "The play and spectate channels: JSON text messages, discriminated by `t`.",
      license: { name: "MIT" },
    },
    defaultContentType: "application/json",
    ...(at === null ? {} : { servers: { arcade: { host: at.host, protocol: at.protocol.replace(":", "") } } }),
    channels: { play: channelOf("play", slugs), spectate: channelOf("spectate", slugs) },
    operations: {
      sendToPlay: operation("send", "play", SENDS.play),
      receiveFromPlay: operation("receive", "play", RECEIVES.play),
      sendToSpectate: operation("send", "spectate", SENDS.spectate),
      receiveFromSpectate: operation("receive", "spectate", RECEIVES.spectate),
    },
    components: {
      messages: Object.fromEntries(
        Object.entries({ ...FROM_CLIENT, ...FROM_SERVER }).map(([name, schema]) => [name, messageOf(name, schema)]),
      ),
    },
  };
}
