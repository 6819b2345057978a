/** What a backend does, where several share the work. */
import { ArcadeError } from "./errors.ts";
import type { ChannelRole } from "./protocol/rules.ts";

/**
 * api: the HTTP interface and the site; live: runs games and holds their players' sockets; edge: holds the sockets of
 * viewers; chain: stores the chain's events and follows the operator's transactions.
 */
export const ROLES = ["api", "live", "edge", "chain"] as const;
export type Role = (typeof ROLES)[number];
export type Roles = readonly Role[];

export const hasEveryRole = (roles: Roles): boolean => ROLES.every((role) => roles.includes(role));

/** The role that holds these sockets. */
export const CHANNEL_SERVERS = { play: "live", spectate: "edge" } as const satisfies Record<ChannelRole, Role>;

/** The error of a server without the role. */
export const createRoleError = (expected: Role, roles: Roles): ArcadeError =>
  new ArcadeError(
    "MISDIRECTED_REQUEST",
    `This server has the roles ${roles.join(", ")}; a server with the role ${expected} answers this.`,
    { role: expected },
  );
