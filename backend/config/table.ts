/** The one table of settings: environment variable → form, default, sentence. It also writes `.env.example` and `docs/config.md`. */

export type SettingKind = "integer" | "boolean" | "text" | "url" | "choice" | "secret" | "list";

export interface Setting {
  readonly name: string;
  readonly kind: SettingKind;
  /** What is used when the variable is absent; null: nothing. */
  readonly fallback: string | null;
  readonly sentence: string;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** One variable per game: `{SLUG}` in the name stands for the slug in capitals. */
  readonly perGame?: true;
}

const setting = (
  name: string,
  kind: SettingKind,
  fallback: string | null,
  sentence: string,
  more: Partial<Setting> = {},
): Setting => ({ name, kind, fallback, sentence, ...more });

export const SETTINGS = [
  setting(
    "ARCADE_PORT",
    "integer",
    "4100",
    "Port of HTTP and WebSocket. Set and busy is an error; unset and busy takes the next one.",
    { min: 0, max: 65535 },
  ),
  setting("ARCADE_HOST", "text", "127.0.0.1", "Address to listen on."),
  setting(
    "ARCADE_PUBLIC_URL",
    "url",
    null,
    "The address by which clients reach the service; absent: made from host and port.",
  ),
  setting("ARCADE_RPC_URL", "url", null, "JSON-RPC of the chain; absent: `npm start` embeds a local chain."),
  setting("ARCADE_RPC_PORT", "integer", "8545", "Port of the embedded chain's JSON-RPC.", { min: 0, max: 65535 }),
  setting("ARCADE_DATABASE_URL", "text", null, "`sqlite:PATH`; absent: `arcade.db` in the data folder."),
  setting("ARCADE_DATA_DIR", "text", "./data", "Folder of everything that is kept between runs."),
  setting(
    "ARCADE_DEPLOYMENT",
    "text",
    null,
    "Path of the addresses file; absent: the local deployment in the data folder.",
  ),
  setting("ARCADE_IDENTITY_SIGNER_KEY", "secret", null, "Key that signs identity mints: `0x…` or `@file`."),
  setting("ARCADE_SCORE_SIGNER_KEY", "secret", null, "Key that signs score snapshots: `0x…` or `@file`."),
  setting(
    "ARCADE_NFT_SIGNER_KEY_{SLUG}",
    "secret",
    null,
    "Key that signs a game's NFT mints and upgrades: `0x…` or `@file`.",
    { perGame: true },
  ),
  setting("ARCADE_OPERATOR_KEY", "secret", null, "Key that relays payouts and pays their gas: `0x…` or `@file`."),
  setting("ARCADE_GAME_AUTH_ACCESS_TTL_SECONDS", "integer", "86400", "Life of an access token.", {
    min: 60,
    max: 30 * 86400,
  }),
  setting("ARCADE_GAME_AUTH_REFRESH_TTL_SECONDS", "integer", "604800", "Life of a sign-in: refreshing ends then.", {
    min: 60,
    max: 365 * 86400,
  }),
  setting(
    "ARCADE_AUTH_DOMAINS",
    "list",
    null,
    "Domains (host:port) a sign-in message may name, comma-separated; absent: the public URL's.",
  ),
  setting(
    "ARCADE_AUTH_ALLOW_ERC1271",
    "boolean",
    "false",
    "Accept contract wallets at sign-in (ERC-1271, asked at our own node).",
  ),
  setting("ARCADE_CONFIRMATIONS", "integer", "2", "Blocks on top of one before what it holds is called safe.", {
    min: 0,
    max: 1000,
  }),
  setting(
    "ARCADE_TRUST_PROXY",
    "boolean",
    "false",
    "Take the client's address from `X-Forwarded-For` of the nearest proxy.",
  ),
  setting("ARCADE_SPECTATORS_MAX", "integer", "50", "Spectator seats of a session.", { min: 1, max: 10000 }),
  setting(
    "ARCADE_TICK_HZ_{SLUG}",
    "integer",
    null,
    "Ticks a second of a game: 10, 12, 15, 20, 30 or 60; absent: the game's own.",
    {
      perGame: true,
      min: 10,
      max: 60,
    },
  ),
  setting(
    "ARCADE_RATE_LIMITS",
    "choice",
    null,
    "Rate limits; absent: on, except on chain 31337. `off` is refused elsewhere.",
    { choices: ["on", "off"] },
  ),
  setting("ARCADE_LOG_LEVEL", "choice", "info", "Least severe log line that is written.", {
    choices: ["trace", "debug", "info", "warn", "error", "silent"],
  }),
  setting("ARCADE_METRICS_HOST", "text", "127.0.0.1", "Address that may read `/metrics`; `*`: any."),
] as const satisfies readonly Setting[];

export const slugInName = (slug: string): string => slug.toUpperCase().replaceAll("-", "_");
