/** Reuses messages, refresh tokens and access tokens. */
import { routes } from "../../../../backend/http/routes/index.ts";
import { type Arena, getCode, otherSlug, type ReplayCase, SLUGS, type Slug, type Tokens } from "./arena.ts";

const MINUTES_MS = 60_000;
const HOURS_MS = 60 * MINUTES_MS;

/** How a message issued for one sign-in is changed for another. */
const EDITS: { readonly [how: string]: (message: string, arena: Arena) => string } = {
  "for another domain": (message) => message.replace(/^\S+/, "arcade.example"),
  "for another URI": (message) => message.replace(/^URI: .*$/m, "URI: https://arcade.example"),
  "for another chain": (message) => message.replace(/^Chain ID: .*$/m, "Chain ID: 1"),
  "for another wallet": (message, arena) => message.replace(/^0x[0-9a-fA-F]{40}$/m, arena.nextAccount().address),
};

function createMessageCases(slug: Slug): ReplayCase[] {
  const what = `sign-in message of ${slug}`;
  const prepare = async (arena: Arena, account = arena.nextAccount()) => {
    const message = await arena.getMessage(slug, account);
    return { account, message, signature: await account.signMessage({ message }) };
  };
  return [
    {
      what,
      how: "again",
      expected: "NONCE_USED",
      run: async (arena) => {
        const { message, signature } = await prepare(arena);
        await arena.verify(slug, message, signature);
        return getCode(await arena.verify(slug, message, signature));
      },
    },
    {
      what,
      how: "after a failed attempt",
      expected: "NONCE_USED",
      run: async (arena) => {
        const { message, signature } = await prepare(arena);
        await arena.verify(slug, message, await arena.nextAccount().signMessage({ message }));
        return getCode(await arena.verify(slug, message, signature));
      },
    },
    {
      what,
      how: "after the sign-out",
      expected: "NONCE_USED",
      run: async (arena) => {
        const { message, signature } = await prepare(arena);
        await arena.signOut(slug, (await arena.verify(slug, message, signature)).body);
        return getCode(await arena.verify(slug, message, signature));
      },
    },
    {
      what,
      how: "at the other game",
      expected: "NONCE_INVALID",
      run: async (arena) => {
        const { message, signature } = await prepare(arena);
        return getCode(await arena.verify(otherSlug(slug), message, signature));
      },
    },
    {
      what,
      how: "signed by another wallet",
      expected: "SIGNATURE_INVALID",
      run: async (arena) => {
        const { message } = await prepare(arena);
        return getCode(await arena.verify(slug, message, await arena.nextAccount().signMessage({ message })));
      },
    },
    {
      what,
      how: "with the signature of an earlier one",
      expected: "SIGNATURE_INVALID",
      run: async (arena) => {
        const { account, signature } = await prepare(arena);
        return getCode(await arena.verify(slug, await arena.getMessage(slug, account), signature));
      },
    },
    {
      what,
      how: "after five minutes",
      expected: "NONCE_EXPIRED",
      run: async (arena) => {
        const { message, signature } = await prepare(arena);
        const verify = () => arena.verify(slug, message, signature);
        return getCode(await arena.clock.runWithWallShift(5 * MINUTES_MS + 1000, verify));
      },
    },
    {
      what,
      how: "with the nonce of a vote",
      expected: "NONCE_INVALID",
      run: async (arena) => {
        const { account, message } = await prepare(arena);
        const ballot = { walletAddress: account.address, gameSlug: "demo-tidepool", voteSource: "human" };
        const { nonce } = (await arena.post("/api/voting/nonce", ballot)).body;
        const edited = message.replace(/^Nonce: .*$/m, `Nonce: ${nonce}`);
        return getCode(await arena.verify(slug, edited, await account.signMessage({ message: edited })));
      },
    },
    ...Object.entries(EDITS).map(([how, edit]) => ({
      what,
      how,
      expected: "MESSAGE_MISMATCH",
      run: async (arena: Arena) => {
        const { account, message } = await prepare(arena);
        const edited = edit(message, arena);
        return getCode(await arena.verify(slug, edited, await account.signMessage({ message: edited })));
      },
    })),
  ];
}

function createRefreshCases(slug: Slug): ReplayCase[] {
  const what = `refresh token of ${slug}`;
  const refresh = (arena: Arena, refreshToken: string) =>
    arena.post(`/api/games/${slug}/auth/refresh`, { refreshToken });
  /** A sign-in whose first refresh token was used twice, more than ten seconds apart. */
  const reuse = async (arena: Arena) => {
    const first = await arena.signIn(slug);
    const next: Tokens = (await refresh(arena, first.refreshToken)).body;
    const again = await arena.clock.runWithWallShift(11_000, () => refresh(arena, first.refreshToken));
    return { first, next, again };
  };
  const otherKinds: { readonly [how: string]: (arena: Arena, tokens: Tokens) => Promise<string> } = {
    "an access token in its place": async (_, { accessToken }) => accessToken,
    "a play token in its place": async (arena) => (await arena.startPractice(slug)).playToken,
    "a practice token in its place": async (arena) => (await arena.startPractice(slug)).practiceToken,
    "a spectate token in its place": async (arena) =>
      arena.getToken(slug, "spectate-token-public", await arena.startPractice(slug)),
  };
  return [
    {
      what,
      how: "again",
      expected: "REFRESH_REUSED",
      run: async (arena) => getCode((await reuse(arena)).again),
    },
    {
      what,
      how: "the successor of one that was used again",
      expected: "REFRESH_REUSED",
      run: async (arena) => getCode(await refresh(arena, (await reuse(arena)).next.refreshToken)),
    },
    {
      what,
      how: "after the sign-out",
      expected: "REFRESH_REUSED",
      run: async (arena) => {
        const tokens = await arena.signIn(slug);
        await arena.signOut(slug, tokens);
        return getCode(await refresh(arena, tokens.refreshToken));
      },
    },
    {
      what,
      how: "after a week",
      expected: "TOKEN_EXPIRED",
      run: async (arena) => {
        const { refreshToken } = await arena.signIn(slug);
        return getCode(
          await arena.clock.runWithWallShift(7 * 24 * HOURS_MS + 1000, () => refresh(arena, refreshToken)),
        );
      },
    },
    ...Object.entries(otherKinds).map(([how, getToken]) => ({
      what,
      how,
      expected: "TOKEN_INVALID",
      run: async (arena: Arena) => getCode(await refresh(arena, await getToken(arena, await arena.signIn(slug)))),
    })),
  ];
}

/** Tokens that no route for wallets accepts, by kind. */
const REFUSED_TOKENS: {
  readonly [how: string]: {
    readonly expected: string;
    readonly afterMs?: number;
    readonly forPlayers?: false;
    readonly getToken: (arena: Arena, slug: Slug) => Promise<string>;
  };
} = {
  "an access token after the sign-out": {
    expected: "TOKEN_INVALID",
    getToken: async (arena, slug) => {
      const tokens = await arena.signIn(slug);
      await arena.signOut(slug, tokens);
      return tokens.accessToken;
    },
  },
  "an access token after a day": {
    expected: "TOKEN_EXPIRED",
    afterMs: 24 * HOURS_MS + 1000,
    getToken: async (arena, slug) => (await arena.signIn(slug)).accessToken,
  },
  "a refresh token": {
    expected: "TOKEN_INVALID",
    getToken: async (arena, slug) => (await arena.signIn(slug)).refreshToken,
  },
  "a play token": {
    expected: "TOKEN_INVALID",
    getToken: async (arena, slug) => (await arena.startPractice(slug)).playToken,
  },
  "a practice token": {
    expected: "TOKEN_INVALID",
    forPlayers: false,
    getToken: async (arena, slug) => (await arena.startPractice(slug)).practiceToken,
  },
};

/** Every route that requires a token, with each kind of token that it must reject. */
function createAccessCases(slug: Slug): ReplayCase[] {
  return routes
    .filter(({ access }) => access === "wallet" || access === "player")
    .flatMap((route) =>
      Object.entries(REFUSED_TOKENS)
        .filter(([, { forPlayers }]) => forPlayers !== false || route.access === "wallet")
        .map(([how, { expected, afterMs = 0, getToken }]) => ({
          what: route.name,
          how,
          expected,
          run: async (arena: Arena) => {
            const token = await getToken(arena, slug);
            const path = route.path.replace("{slug}", slug).replace(/\{\w+\}/, "01890a5d-ac96-774b-bcce-b302099a8057");
            return getCode(
              await arena.clock.runWithWallShift(afterMs, () => arena.call(route.method, path, { token })),
            );
          },
        })),
    );
}

export const createSignInCases = (): readonly ReplayCase[] => [
  ...SLUGS.flatMap((slug) => [...createMessageCases(slug), ...createRefreshCases(slug)]),
  ...createAccessCases(SLUGS[0]),
];
