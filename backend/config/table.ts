/**
 * The single table of settings. It validates the environment, and `.env.example` and `docs/config.md` are generated
 * from it.
 */
import { ROLES } from "../../domain/roles.ts";
import { SESSION_TIMES } from "../../domain/session.ts";
import { DAY_SECONDS } from "../../domain/time.ts";
import {
  boolean,
  choice,
  database,
  domains,
  host,
  integer,
  key,
  metricsHost,
  natsServers,
  origin,
  path,
  proxies,
  publicUrlWithPath,
  roleList,
  type Setting,
  secretUrls,
  tickHz,
  token,
} from "./kinds.ts";

export const SETTINGS = {
  port: integer(0, 65535)(
    "ARCADE_PORT",
    "4100",
    "Port of HTTP and WebSocket. If it is set and in use, the start fails; if it is not set, the service takes the next free port.",
  ),
  host: host(
    "ARCADE_HOST",
    "127.0.0.1",
    "Address to listen on; `0.0.0.0` or `::` is every address of the machine, for example in a container. The embedded chain's JSON-RPC then also listens there: no web page on the network can use it, but every program can.",
  ),
  publicUrl: origin(
    "ARCADE_PUBLIC_URL",
    null,
    "The origin by which clients reach the service, for example `https://arcade.example`. Absent: made from host and port (`localhost` for every address), and pages of this machine are accepted on any port. Programs then reach `/mcp` by any IP address or private name. Required on every chain but 31337. Behind a proxy the service needs a separate host name or port: a path below another site is not supported.",
  ),
  rpcUrls: secretUrls(
    "ARCADE_RPC_URL",
    null,
    "JSON-RPC of the chain, or several nodes separated by commas; absent: `npm start` embeds a local chain. With several, the service does not use a node that is away, more than 3 blocks behind, slower than 1.5 s while another one is not, or reports a head that does not exist. Commands use the first one.",
  ),
  publicRpcUrl: publicUrlWithPath(
    "ARCADE_PUBLIC_RPC_URL",
    null,
    "JSON-RPC of the chain for browsers, without a key: the site uses it to check that a score is on chain. Absent: the embedded chain's; on other chains none.",
  ),
  rpcPort: integer(0, 65535)("ARCADE_RPC_PORT", "8545", "Port of the embedded chain's JSON-RPC."),
  databaseUrl: database(
    "ARCADE_DATABASE_URL",
    null,
    "`sqlite:PATH`, or `postgres://USER@HOST/DATABASE` (version 15 or newer); absent: `arcade.db` in the data folder.",
  ),
  natsUrl: natsServers(
    "ARCADE_NATS_URL",
    null,
    "NATS servers, for example `nats://10.0.0.5:4222`, separated by commas; `tls://` needs a host name, since certificates are not compared with addresses. Backends with this setting share one PostgreSQL database; absent: this backend is the only one on its database.",
  ),
  roles: roleList(
    "ARCADE_ROLES",
    ROLES.join(","),
    "What this process does: `api` answers HTTP, `live` runs games and holds players' sockets, `edge` holds viewers' sockets, `chain` stores the chain's events and follows the operator's transactions. If one is left out, the process needs a PostgreSQL database and `ARCADE_NATS_URL`, and other processes with the other roles (`docs/scaling.md`).",
  ),
  dataDir: path("ARCADE_DATA_DIR", "./data", "Folder for all data that is kept between runs."),
  deploymentPath: path(
    "ARCADE_DEPLOYMENT",
    null,
    "Path of the addresses file; absent: the local deployment in the data folder.",
  ),
  accessTtlSeconds: integer(60, 30 * DAY_SECONDS)(
    "ARCADE_GAME_AUTH_ACCESS_TTL_SECONDS",
    "86400",
    "Lifetime of an access token.",
  ),
  refreshTtlSeconds: integer(60, 365 * DAY_SECONDS)(
    "ARCADE_GAME_AUTH_REFRESH_TTL_SECONDS",
    "604800",
    "Lifetime of a sign-in; tokens can be refreshed until then.",
  ),
  authDomains: domains(
    "ARCADE_AUTH_DOMAINS",
    null,
    "More domains (host:port), separated by commas, whose pages may open sockets and which sign-in messages may contain; the public URL's is always allowed.",
  ),
  allowErc1271: boolean(
    "ARCADE_AUTH_ALLOW_ERC1271",
    "false",
    "Accept contract wallets (ERC-1271; ERC-6492 for undeployed ones) at sign-in, checked at the service's own node.",
  ),
  confirmations: integer(0, 1000)(
    "ARCADE_CONFIRMATIONS",
    "2",
    "Number of blocks on top of a block before its content is called safe.",
  ),
  chainWaitMs: integer(100, 30_000)(
    "ARCADE_CHAIN_WAIT_MS",
    null,
    "How long one request may wait for the chain's node in total, in milliseconds; then it gets `CHAIN_UNAVAILABLE`. Absent: 1000; on chain 31337 10000, since a busy machine delays the embedded chain.",
  ),
  chainPollMs: integer(20, 15_000)(
    "ARCADE_CHAIN_POLL_MS",
    null,
    "How often the service looks for a new block, in milliseconds. Providers charge for it: `docs/operating.md` has the figures. Requests that wait for a block look at once. Absent: 1000; on chain 31337 250.",
  ),
  trustProxy: proxies(
    "ARCADE_TRUST_PROXY",
    "false",
    "The proxies in front that write `X-Forwarded-For`: `true` for one proxy, `2` for a balancer behind a CDN, or the networks of all proxies, such as `10.0.0.0/8,fd00::/8`. The client is the last address that is not a proxy's.",
  ),
  keepAliveSeconds: integer(1, 3600)(
    "ARCADE_KEEP_ALIVE_SECONDS",
    "125",
    "How long an idle HTTP connection stays open. It must be longer than the balancer in front keeps connections (AWS 60 s, Traefik 90 s, Caddy 120 s, Google Cloud 600 s); otherwise requests get 502 there.",
  ),
  spectatorsMax: integer(1, 10000)("ARCADE_SPECTATORS_MAX", "50", "Spectator seats of a session."),
  sessionsMax: integer(1, 100_000)(
    "ARCADE_SESSIONS_MAX",
    "500",
    "Games that run at once; `npm run lab -- bench capacity` measures the default. When all places are taken, practice yields to ranked play.",
  ),
  disconnectPauseSeconds: integer(0, SESSION_TIMES.disconnectPauseSeconds)(
    "ARCADE_DISCONNECT_PAUSE_SECONDS",
    String(SESSION_TIMES.disconnectPauseSeconds),
    "How long lost play sockets may pause a session in total; then the game continues without input.",
  ),
  tickHz: tickHz("ARCADE_TICK_HZ_{SLUG}", null, "Ticks per second of a game; absent: the game's own rate."),
  rateLimits: choice("on", "off")(
    "ARCADE_RATE_LIMITS",
    null,
    "Rate limits; absent: on, except on chain 31337. `off` is rejected on all other chains.",
  ),
  demoAgents: choice("on", "off")(
    "ARCADE_DEMO_AGENTS",
    null,
    "Demo agents of the service play each game that has no player. They are labeled, on no board and without rewards. Absent: on for chain 31337, off elsewhere.",
  ),
  mcp: choice("on", "off")(
    "ARCADE_MCP",
    null,
    "The server of the model context protocol at `/mcp`, which runs each caller's policy in a separate process; absent: on for chain 31337, off elsewhere.",
  ),
  leagueSeasonHours: integer(0, 24 * 366)(
    "ARCADE_LEAGUE_SEASON_HOURS",
    "168",
    "How long a season of the league takes policies before its round; a change applies from the next season. 0: the service has no league.",
  ),
  feeCapGwei: integer(1, 1_000_000)(
    "ARCADE_OPERATOR_FEE_CAP_GWEI",
    "1000",
    "The highest fee in gwei per gas that the operator pays; a transaction that needs more waits. A node's proposed tip is limited to 50 gwei or ten times the base fee, whichever is higher.",
  ),
  operatorCallsPerDay: integer(1, 10_000_000)(
    "ARCADE_OPERATOR_CALLS_PER_DAY",
    "20000",
    "Transactions that the operator's key signs in a UTC day, each with 4,000,000 gas at most. Payouts beyond this number wait for the next day; other calls are rejected.",
  ),
  sponsor: choice("on", "off")(
    "ARCADE_SPONSOR",
    null,
    "Whether the operator pays the gas of agents on request (`sponsor: true`); absent: on for chain 31337, off elsewhere.",
  ),
  sponsorGasPerDay: integer(0, 1e12)(
    "ARCADE_SPONSOR_GAS_PER_DAY",
    "100000000",
    "Gas that the operator pays for agents per UTC day; at most half of it for identities.",
  ),
  sponsorGasPerIdentity: integer(0, 1e12)(
    "ARCADE_SPONSOR_GAS_PER_IDENTITY",
    "2000000",
    "Daily gas limit per identity, or per wallet without one.",
  ),
  sponsorGasPerAddress: integer(0, 1e12)(
    "ARCADE_SPONSOR_GAS_PER_ADDRESS",
    "5000000",
    "Daily gas limit per IP address (per /64 for IPv6), which may also mint one identity; no limits while rate limits are off.",
  ),
  logLevel: choice(
    "trace",
    "debug",
    "info",
    "warn",
    "error",
    "silent",
  )("ARCADE_LOG_LEVEL", "info", "The lowest level of log lines."),
  metricsHost: metricsHost(
    "ARCADE_METRICS_HOST",
    "127.0.0.1",
    "Address that may read `/metrics` without a token; `*`: any, on chain 31337 only. Loopback counts only if the public URL is loopback, because behind a proxy every request comes from loopback.",
  ),
  metricsToken: token(
    "ARCADE_METRICS_TOKEN",
    null,
    "A request with it as `Authorization: Bearer …` may read `/metrics` from anywhere; at least 16 characters.",
  ),
  adminToken: token(
    "ARCADE_ADMIN_TOKEN",
    null,
    "A request with it as `Authorization: Bearer …` may use the operator's console (`/console`, `/api/console/…`); at least 16 characters. Absent: the console does not exist.",
  ),
} as const satisfies { readonly [name: string]: Setting };

/** The keys. Separate from the settings, since their values are never printed. */
export const SECRETS = {
  identitySigner: key(
    "ARCADE_IDENTITY_SIGNER_KEY",
    null,
    "Key that signs identity mints: `0x…`, `@file`, `keystore:FILE,PASSPHRASE_FILE`, or a remote signer's `https://HOST/PATH#0xADDRESS`.",
  ),
  scoreSigner: key(
    "ARCADE_SCORE_SIGNER_KEY",
    null,
    "Key that signs score snapshots: `0x…`, `@file`, `keystore:FILE,PASSPHRASE_FILE`, or a remote signer's `https://HOST/PATH#0xADDRESS`.",
  ),
  nftSigners: key(
    "ARCADE_NFT_SIGNER_KEY_{SLUG}",
    null,
    "Key that signs a game's NFT mints and upgrades: `0x…`, `@file`, `keystore:FILE,PASSPHRASE_FILE`, or a remote signer's `https://HOST/PATH#0xADDRESS`.",
  ),
  operator: key(
    "ARCADE_OPERATOR_KEY",
    null,
    "Key that relays payouts and pays their gas: `0x…`, `@file`, `keystore:FILE,PASSPHRASE_FILE`, or a remote signer's `https://HOST/PATH#0xADDRESS`.",
  ),
  signerToken: token("ARCADE_SIGNER_TOKEN", null, "Bearer token of the remote signers; at least 16 characters."),
} as const satisfies { readonly [name: string]: Setting };

/** The variable of a game: `ARCADE_TICK_HZ_{SLUG}` of `reef-rally` is `ARCADE_TICK_HZ_REEF_RALLY`. */
export const toGameVariable = (name: string, slug: string): string =>
  name.replace("{SLUG}", slug.toUpperCase().replaceAll("-", "_"));
