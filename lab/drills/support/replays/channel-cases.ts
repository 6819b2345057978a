/** Reuses tokens of the play and spectate channels: again, late, or elsewhere. */
import { type Arena, otherSlug, type PracticeSession, type ReplayCase, SLUGS, type Slug } from "./arena.ts";

const ROLES = ["play", "spectate"] as const;
type Role = (typeof ROLES)[number];
const TOKEN_ROUTES = { play: "play-token", spectate: "spectate-token-public" } as const;
const LIFETIMES_MS = { play: 60_000, spectate: 30_000 };

interface ChannelCase {
  readonly how: string;
  readonly expected: string;
  readonly run: (arena: Arena, ticket: Ticket) => Promise<string>;
}
interface Ticket {
  readonly slug: Slug;
  readonly role: Role;
  readonly session: PracticeSession;
  readonly token: string;
  readonly url: string;
}

const otherRole = (role: Role): Role => (role === "play" ? "spectate" : "play");

const CASES: readonly ChannelCase[] = [
  {
    how: "again",
    expected: "TOKEN_REPLAYED",
    run: async (arena, { url, token }) => {
      await arena.connect(url, token);
      return arena.connect(url, token);
    },
  },
  {
    how: "on the other channel",
    expected: "INVALID_TOKEN",
    run: (arena, { slug, role, session, token }) =>
      arena.connect(arena.getChannelUrl(slug, otherRole(role), session), token),
  },
  {
    how: "for another session",
    expected: "INVALID_TOKEN",
    run: async (arena, { slug, role, token }) =>
      arena.connect(arena.getChannelUrl(slug, role, await arena.startPractice(slug)), token),
  },
  {
    how: "at the other game",
    expected: "SESSION_NOT_FOUND",
    run: (arena, { slug, role, session, token }) =>
      arena.connect(arena.getChannelUrl(otherSlug(slug), role, session), token),
  },
  {
    how: "for a session of the other game",
    expected: "INVALID_TOKEN",
    run: async (arena, { slug, role, token }) => {
      const other = otherSlug(slug);
      return arena.connect(arena.getChannelUrl(other, role, await arena.startPractice(other)), token);
    },
  },
  {
    how: "too late",
    expected: "TOKEN_EXPIRED",
    run: (arena, { role, url, token }) =>
      arena.clock.runWithWallShift(LIFETIMES_MS[role] + 1000, () => arena.connect(url, token)),
  },
  {
    how: "after the end",
    expected: "SESSION_ENDED",
    run: async (arena, { slug, session, url, token }) => {
      await arena.endPractice(slug, session);
      return arena.connect(url, token);
    },
  },
  {
    how: "the practice token in its place",
    expected: "INVALID_TOKEN",
    run: (arena, { url, session }) => arena.connect(url, session.practiceToken),
  },
  {
    how: "a refresh token in its place",
    expected: "INVALID_TOKEN",
    run: async (arena, { slug, url }) => arena.connect(url, (await arena.signIn(slug)).refreshToken),
  },
];

const PLAY_CASES: readonly ChannelCase[] = [
  {
    how: "after a newer one",
    expected: "TOKEN_REVOKED",
    run: async (arena, { slug, session, url, token }) => {
      await arena.getToken(slug, "play-token", session);
      return arena.connect(url, token);
    },
  },
  {
    how: "after the sign-out",
    expected: "TOKEN_REVOKED",
    run: async (arena, { slug }) => {
      const tokens = await arena.signIn(slug);
      const session = await arena.startPractice(slug, tokens.accessToken);
      await arena.signOut(slug, tokens);
      return arena.connect(arena.getChannelUrl(slug, "play", session), session.playToken);
    },
  },
];

export const createChannelCases = (): readonly ReplayCase[] =>
  SLUGS.flatMap((slug) =>
    ROLES.flatMap((role) =>
      [...CASES, ...(role === "play" ? PLAY_CASES : [])].map(({ how, expected, run }) => ({
        what: `${role} token of ${slug}`,
        how,
        expected,
        run: async (arena: Arena) => {
          const session = await arena.startPractice(slug);
          const token = await arena.getToken(slug, TOKEN_ROUTES[role], session);
          return run(arena, { slug, role, session, token, url: arena.getChannelUrl(slug, role, session) });
        },
      })),
    ),
  );
