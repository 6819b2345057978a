import { SETTINGS } from "../../../backend/config/table.ts";
import type { Route } from "../../../backend/http/routing/route.ts";
import {
  ADDRESS_LIMITS,
  CHANNEL_LIMITS,
  CONNECTION_LIMITS,
  type LimitPolicy,
  SESSION_LIMITS,
} from "../../../domain/limits/limits.ts";
import { SESSION_TIMES } from "../../../domain/session.ts";
import { renderTable } from "./table.ts";

const OWNERS = {
  ip: "address",
  network: "network (IPv4 /24, IPv6 /48)",
  wallet: "wallet",
  all: "all callers together",
} as const;

/** Every bucket with the routes that use it. */
function listBuckets(routes: readonly Route[]): (string | number)[][] {
  const buckets = new Map<string, { readonly policy: LimitPolicy; readonly routes: string[] }>();
  for (const { name, limits } of routes) {
    for (const policy of limits) {
      const bucket = buckets.get(policy.name) ?? { policy, routes: [] };
      buckets.set(policy.name, bucket);
      bucket.routes.push(`\`${name}\``);
    }
  }
  return [...buckets.values()].map(({ policy, routes }) => [...toCells(policy), routes.join(", ")]);
}

const toCells = ({ name, by, limit, windowSeconds, source, isShared }: LimitPolicy): (string | number)[] => [
  `\`${name}\`${isShared ? " (shared)" : ""}`,
  `${OWNERS[by]}${source === undefined ? "" : ` (\`${source}\` only)`}`,
  `${limit} in ${windowSeconds} s`,
];

const ADDRESS_NOTES: { readonly [key in keyof typeof ADDRESS_LIMITS]: string } = {
  requests: "requests of every kind; above the limit, connections are closed until the bucket is no longer overdrawn",
  failedTokens: "requests and sockets with an invalid token, charged before the lookup",
  upgrades: "WebSocket upgrades, charged before the session is looked up",
  frames: "WebSocket frames of every kind, of all sockets",
  bytes: "bytes of these frames",
};

const LISTS: { readonly [title: string]: readonly (readonly [string, string | number])[] } = {
  Connections: [
    ["all connections; behind a proxy, all requests and WebSockets", CONNECTION_LIMITS.inAll],
    ["of one address", CONNECTION_LIMITS.perIp],
    ["without a whole request or a token; the oldest is closed first", CONNECTION_LIMITS.waitingPerIp],
    ["time without progress in reading a response", `${CONNECTION_LIMITS.stalledSeconds} s`],
    ["requests of one connection at once (pipelining)", CONNECTION_LIMITS.pipelined],
    ["time for a request's headers", `${CONNECTION_LIMITS.headersSeconds} s`],
    ["time for a whole request", `${CONNECTION_LIMITS.requestSeconds} s`],
  ],
  "Play and spectate channels": [
    ["time for the token", `${CHANNEL_LIMITS.authSeconds} s`],
    ["messages before the token is accepted", "1 text message"],
    ["messages a second", `${CHANNEL_LIMITS.messagesPerTick} × ticks a second`],
    [
      "frames of every kind a second",
      `${CHANNEL_LIMITS.messagesPerTick} × ticks a second + ${CHANNEL_LIMITS.framesBeyondMessages}`,
    ],
    ["bytes a second (play)", CHANNEL_LIMITS.bytesPerSecond.play],
    ["bytes a second (spectate)", CHANNEL_LIMITS.bytesPerSecond.spectate],
    [
      "writes a second to a spectator",
      `${CHANNEL_LIMITS.spectatorWritesPerSecond}; a tick with events is sent at once`,
    ],
    ["frames and bytes at once", `as many as in ${CHANNEL_LIMITS.burstSeconds} s`],
  ],
  Sessions: [
    ["games at once", `\`ARCADE_SESSIONS_MAX\` (${SETTINGS.sessionsMax.defaultText})`],
    ["simultaneous sessions of one address", SESSION_LIMITS.perIp],
    ["of these, practice", SESSION_LIMITS.practicePerIp],
    ["spectator seats of one address in a session, without an agent identity", SESSION_LIMITS.seatsPerIp],
    ["pauses of the player in a session", `${SESSION_TIMES.pauseCount}, ${SESSION_TIMES.pauseSeconds} s in total`],
    [
      "pauses after disconnects",
      `${SESSION_TIMES.disconnectGraceSeconds} s each, \`ARCADE_DISCONNECT_PAUSE_SECONDS\` (${SETTINGS.disconnectPauseSeconds.defaultText}) in total; each takes at least ${SESSION_TIMES.disconnectCostSeconds} s`,
    ],
  ],
};

export function renderLimitsDocument(routes: readonly Route[]): string {
  const addressRows = Object.entries(ADDRESS_LIMITS).map(([key, policy]) => [
    ...toCells(policy),
    ADDRESS_NOTES[key as keyof typeof ADDRESS_LIMITS],
  ]);
  return [
    "# Limits",
    "",
    "Rate limits are token buckets that refill evenly. Limits of addresses and wallets apply while `ARCADE_RATE_LIMITS` is on; an IPv6 /64 counts as one address. An HTTP request over a limit gets `RATE_LIMITED` with `Retry-After`; a socket over a limit is closed with 4008. If a request has a wallet but no token, the wallet's bucket is separate for each address.",
    "",
    "All backends of a fleet share the buckets marked as shared; while PostgreSQL does not answer, requests that use them get `STORAGE_BUSY`. Every other bucket belongs to one backend ([scaling](scaling.md)).",
    "",
    "When all connections are taken, the service closes one for each new one. It chooses the network with the most connections (IPv4 /24, IPv6 /48), then its address with the most, then an idle connection, then the oldest. It never closes a connection of a signed-in player with an identity for a guest. Registrations have a separate signature limit, and callers without an identity a separate share of chain requests. When all game slots are taken, a practice session ends (`yielded`) for a ranked session, or for practice of a network with at least two fewer sessions. The service first chooses the network, then a session without a connected player, then the oldest. Other starts get `SERVER_FULL`.",
    "",
    "## Requests",
    "",
    renderTable(["bucket", "kept for each", "limit", "routes"], listBuckets(routes)),
    "",
    renderTable(["bucket", "kept for each", "limit", "counts"], addressRows),
    "",
    ...Object.entries(LISTS).flatMap(([title, rows]) => [`## ${title}`, "", renderTable(["what", "limit"], rows), ""]),
    "*Made from `domain/limits/limits.ts` by `npm run docs`.*",
    "",
  ].join("\n");
}
