import type { IncomingMessage } from "node:http";
import { ArcadeError, quoteReceived } from "../../domain/errors.ts";
import { normalizeSlug } from "../../domain/ids.ts";
import { PUBLIC_URL_NEXT } from "../../domain/origins.ts";
import type { ChannelRole } from "../../domain/protocol/rules.ts";
import { normalizePath } from "../../domain/request-path.ts";
import { CHANNEL_SERVERS, createRoleError, ROLES, type Roles } from "../../domain/roles.ts";
import type { LiveSessions } from "../ports/live.ts";
import type { SessionRow } from "../ports/store/sessions.ts";
import type { Encoding } from "./channel.ts";

export interface UpgradeRules {
  readonly live: Pick<LiveSessions, "waitUntilRecovered">;
  /** A session by its id, running or stored; null when there is none. */
  readonly findSession: (sessionId: string) => Promise<SessionRow | null>;
  readonly isSlug: (slug: string) => boolean;
  readonly originAllowed: (origin: string) => boolean;
  /** The roles of this process; all if left out. */
  readonly roles?: Roles;
}

/** The channel that an upgrade requests. */
export interface UpgradeTarget {
  readonly role: ChannelRole;
  readonly sessionId: string;
  readonly encoding: Encoding;
  /** The socket of a ranked session's player, who holds an agent identity. */
  readonly isOfPlayer: boolean;
}

const PATH = /^\/ws\/([^/]+)\/(play|spectate)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Parses and checks an upgrade request: path, role, game, `Origin`, encoding and session. Throws `NOT_FOUND`,
 * `MISDIRECTED_REQUEST`, `GAME_NOT_FOUND`, `ORIGIN_DENIED`, `VALIDATION_FAILED`, `SESSION_NOT_FOUND` or
 * `SESSION_RECOVERING`.
 */
export async function resolveUpgrade(request: IncomingMessage, rules: UpgradeRules): Promise<UpgradeTarget> {
  const url = URL.parse(normalizePath(request.url ?? "/"), "http://localhost");
  const [, slugText, role] = PATH.exec(url?.pathname ?? "") ?? [];
  if (!url || !slugText || !role) {
    throw new ArcadeError(
      "NOT_FOUND",
      `Expected /ws/{slug}/play or /ws/{slug}/spectate with a sessionId, received ${quoteReceived(url?.pathname ?? "")}.`,
    );
  }
  const server = CHANNEL_SERVERS[role as ChannelRole];
  const { roles = ROLES } = rules;
  if (!roles.includes(server)) throw createRoleError(server, roles);
  const slug = normalizeSlug(slugText);
  if (!rules.isSlug(slug))
    throw new ArcadeError(
      "GAME_NOT_FOUND",
      `Expected the slug of a game in the catalog, received ${quoteReceived(slugText)}.`,
    );
  const { origin } = request.headers;
  if (origin !== undefined && !rules.originAllowed(origin)) {
    throw new ArcadeError(
      "ORIGIN_DENIED",
      `Expected no Origin, or one of the service's own pages, received ${quoteReceived(origin)}. ${PUBLIC_URL_NEXT}`,
    );
  }
  const enc = url.searchParams.get("enc");
  if (enc !== null && !(enc === "compact" && role === "spectate")) {
    throw new ArcadeError(
      "VALIDATION_FAILED",
      `Expected enc=compact on the spectate channel, or no enc at all, received ${quoteReceived(enc)}.`,
    );
  }
  const sessionId = (url.searchParams.get("sessionId") ?? "").toLowerCase();
  const row = UUID.test(sessionId) ? await rules.findSession(sessionId) : null;
  if (row === null || row.slug !== slug) {
    const message = url.searchParams.has("sessionId")
      ? `There is no session ${quoteReceived(sessionId)} of ${slug}.`
      : `Expected /ws/${slug}/${role}?sessionId={sessionId}, received no sessionId; use the wsUrl of the session.`;
    throw new ArcadeError("SESSION_NOT_FOUND", message);
  }
  await rules.live.waitUntilRecovered(sessionId);
  const isOfPlayer = role === "play" && row.agentId !== null;
  return { role: role as ChannelRole, sessionId, encoding: enc === null ? "json" : "compact", isOfPlayer };
}
