/** The one table of settings. It validates the environment and also writes `.env.example` and `docs/config.md`. */
import { isIP } from "node:net";
import { getAddress, type Hex, isAddress } from "viem";
import { z } from "zod";
import { ROLES } from "../domain/roles.ts";
import { SESSION_TIMES } from "../domain/session.ts";
import { TICK_RATES } from "../games/fixed.ts";
import { readPrivateKey } from "./private-keys.ts";

export interface Setting<Schema extends z.ZodType = z.ZodType> {
  /** The environment variable; `{SLUG}` is replaced by a game's slug in capitals, one variable per game. */
  readonly name: string;
  /** The text that applies when the variable is absent; null: none. */
  readonly defaultText: string | null;
  readonly description: string;
  /** The form of the value, for the documents. */
  readonly form: string;
  /** Turns the variable's text, or null, into its value; its messages say what was expected. */
  readonly schema: Schema;
  /** True where the text may hold a key or a password; messages never repeat it. */
  readonly isSecret: boolean;
}

/** A kind of setting: `form` is for the documents, the schema's error for messages. */
const defineKind =
  <Value>(form: string, schema: z.ZodType<Value>, isSecret = false) =>
  <const Default extends string | null>(name: string, defaultText: Default, description: string) => ({
    ...{ name, defaultText, description, form, isSecret },
    schema: (defaultText === null ? schema.nullable() : schema) as z.ZodType<
      Value | (Default extends null ? null : never)
    >,
  });

const integer = (min: number, max: number) => {
  const error = `expected an integer from ${min} to ${max}`;
  const digits = z.string().regex(/^\d+$/, { error, abort: true });
  return defineKind(
    `integer, ${min} to ${max}`,
    digits.transform(Number).pipe(z.number().min(min, { error }).max(max, { error })),
  );
};
const choice = <const Value extends string>(...values: readonly Value[]) =>
  defineKind(
    values.map((value) => `\`${value}\``).join(" or "),
    z.enum(values, { error: `expected ${values.join(" or ")}` }),
  );
const flag = z.enum(["true", "false"], { error: "expected true or false" });
const urlText = z.string().refine(URL.canParse, { error: "expected an address like http://127.0.0.1:4100" });
/** The address of the service itself: an origin. What follows it would be lost in links, sockets and sign-in messages. */
const originText = z.string().transform((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password === "" &&
    url.href === `${url.origin}/`
  )
    return url.origin;
  context.addIssue("expected http:// or https:// with a host and perhaps a port, and nothing after it");
  return z.NEVER;
});
/** `host` or `host:port` in the spelling of URLs. */
const domainText = z.string().transform((value, context) => {
  const url = URL.canParse(`https://${value}`) ? new URL(`https://${value}`) : null;
  if (
    url !== null &&
    url.host !== "" &&
    !url.host.includes("*") &&
    url.href === `https://${url.host}/` &&
    !/[/?#@]/.test(value)
  )
    return value.toLowerCase().endsWith(":443") ? url.hostname : url.host;
  context.addIssue(`expected domains like arcade.example or localhost:3000, without scheme, path or *`);
  return z.NEVER;
});
const metricsHostText = z.string().refine((value) => value === "*" || isIP(value) !== 0, {
  error: "expected an IP address, or * for any",
});
const rate = z.enum(TICK_RATES.map(String), { error: `expected one of ${TICK_RATES.join(", ")}` });

const text = defineKind("text", z.string());
const boolean = defineKind(
  "boolean",
  flag.transform((value) => value === "true"),
);
const address = urlText.transform((value) => value.replace(/\/+$/, ""));
/** The URL of a node may hold an access key, that of a database a password. */
const secretUrl = defineKind("url", address, true);
const publicUrlWithPath = defineKind("url", address);
const origin = defineKind("url", originText);
const domains = defineKind(
  "list",
  z
    .string()
    .transform((value) => value.split(",").map((item) => item.trim()))
    .pipe(z.array(domainText)),
);
const contract = defineKind(
  "address of a contract",
  z
    .string()
    .refine((value) => isAddress(value), { error: "expected the address of a contract" })
    .transform((value) => getAddress(value)),
);
const metricsHost = defineKind("address or `*`", metricsHostText);
const token = defineKind("text", z.string().min(16, { error: "expected at least 16 characters" }), true);
const database = defineKind(
  "text",
  z.string().regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)/, { error: "expected sqlite:PATH or postgres://HOST/DATABASE" }),
  true,
);
const natsServers = defineKind(
  "list",
  z.string().regex(/^(nats|tls|wss?):\/\/[^,\s]+(,(nats|tls|wss?):\/\/[^,\s]+)*$/, {
    error: "expected nats://HOST, or several of them with commas between",
  }),
  true,
);
const roleText = z.enum(ROLES, { error: `expected some of ${ROLES.join(", ")}, with commas between` });
const roleList = defineKind(
  `list of ${ROLES.map((role) => `\`${role}\``).join(", ")}`,
  z
    .string()
    .transform((value) => value.split(",").map((item) => item.trim()))
    .pipe(z.array(roleText))
    .transform((roles) => ROLES.filter((role) => roles.includes(role))),
);
const tickHz = defineKind(TICK_RATES.join(", "), rate.transform(Number));
const key = defineKind<Hex>(
  "key",
  z.string().transform((value, context) => {
    try {
      return readPrivateKey("key", value);
    } catch (error) {
      context.addIssue((error as Error).message.replace(/^key: /, ""));
      return z.NEVER;
    }
  }),
  true,
);

const DAY_SECONDS = 86_400;

export const SETTINGS = {
  port: integer(0, 65535)(
    "ARCADE_PORT",
    "4100",
    "Port of HTTP and WebSocket. If it is set and busy, the start fails; if it is not set, the next free port is taken.",
  ),
  host: text("ARCADE_HOST", "127.0.0.1", "Address to listen on."),
  publicUrl: origin(
    "ARCADE_PUBLIC_URL",
    null,
    "The origin by which clients reach the service, for example `https://arcade.example`; absent: made from host and port. Required on every chain but 31337.",
  ),
  rpcUrl: secretUrl("ARCADE_RPC_URL", null, "JSON-RPC of the chain; absent: `npm start` embeds a local chain."),
  publicRpcUrl: publicUrlWithPath(
    "ARCADE_PUBLIC_RPC_URL",
    null,
    "JSON-RPC of the chain that browsers may use, without a key: the site reads with it that a score stands on chain; absent: the embedded chain's, and none on every other chain.",
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
    "NATS servers, for example `nats://10.0.0.5:4222`, several with commas between; `tls://` with a host name, since certificates are not compared with addresses. Backends that have it share one PostgreSQL database; absent: this backend is the only one on its database.",
  ),
  roles: roleList(
    "ARCADE_ROLES",
    ROLES.join(","),
    "What this process does: `api` answers HTTP, `live` runs games and holds players' sockets, `edge` holds viewers' sockets, `chain` stores the chain's events and follows the operator's transactions. Anything but all of them needs a PostgreSQL database and `ARCADE_NATS_URL`, and other processes with the other roles (`docs/scaling.md`).",
  ),
  dataDir: text("ARCADE_DATA_DIR", "./data", "Folder of everything that is kept between runs."),
  deploymentPath: text(
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
    "Further domains (host:port) whose pages may open sockets and that a sign-in message may name, comma-separated; the public URL's is always one.",
  ),
  allowErc1271: boolean(
    "ARCADE_AUTH_ALLOW_ERC1271",
    "false",
    "Accept contract wallets at sign-in (ERC-1271, checked at the service's own node).",
  ),
  confirmations: integer(0, 1000)(
    "ARCADE_CONFIRMATIONS",
    "2",
    "Number of blocks on top of a block before its content is called safe.",
  ),
  chainWaitMs: integer(100, 30_000)(
    "ARCADE_CHAIN_WAIT_MS",
    "1000",
    "How long one request may wait for the chain's node in all, in milliseconds; then it answers `CHAIN_UNAVAILABLE`.",
  ),
  trustProxy: boolean(
    "ARCADE_TRUST_PROXY",
    "false",
    "Take the client's address from `X-Forwarded-For` of the nearest proxy.",
  ),
  spectatorsMax: integer(1, 10000)("ARCADE_SPECTATORS_MAX", "50", "Spectator seats of a session."),
  sessionsMax: integer(1, 100_000)(
    "ARCADE_SESSIONS_MAX",
    "500",
    "Games that run at once; `npm run bench -- capacity` measures the default. When all places are taken, practice yields to ranked play.",
  ),
  disconnectPauseSeconds: integer(0, SESSION_TIMES.disconnectPauseSeconds)(
    "ARCADE_DISCONNECT_PAUSE_SECONDS",
    String(SESSION_TIMES.disconnectPauseSeconds),
    "For how long lost play sockets pause a session in all; then the game goes on without input.",
  ),
  tickHz: tickHz("ARCADE_TICK_HZ_{SLUG}", null, "Ticks per second of a game; absent: the game's own rate."),
  rateLimits: choice("on", "off")(
    "ARCADE_RATE_LIMITS",
    null,
    "Rate limits; absent: on, except on chain 31337. `off` is rejected on all other chains.",
  ),
  houseAgents: choice("on", "off")(
    "ARCADE_HOUSE_AGENTS",
    null,
    "Agents of the service, which play each game that has no player: labeled, on no board, without rewards; absent: on for chain 31337, off elsewhere.",
  ),
  mcp: choice("on", "off")(
    "ARCADE_MCP",
    null,
    "The server of the model context protocol at `/mcp`, which runs policies of its callers in processes of their own; absent: on for chain 31337, off elsewhere.",
  ),
  feeCapGwei: integer(1, 1_000_000)(
    "ARCADE_OPERATOR_FEE_CAP_GWEI",
    null,
    "The most gwei per gas that the operator pays; a transaction for which the network asks more waits. Absent: no bound.",
  ),
  operatorCallsPerDay: integer(1, 10_000_000)(
    "ARCADE_OPERATOR_CALLS_PER_DAY",
    "20000",
    "Transactions that the operator's key signs in a UTC day, each with 4,000,000 gas at most. Payouts beyond them wait for the next day; other calls are refused.",
  ),
  sponsor: choice("on", "off")(
    "ARCADE_SPONSOR",
    null,
    "Whether the operator pays the gas of agents that ask for it (`sponsor: true`); absent: on, on chain 31337 only.",
  ),
  sponsorGasPerDay: integer(0, 1e12)(
    "ARCADE_SPONSOR_GAS_PER_DAY",
    "100000000",
    "Gas of agents that the operator pays in a UTC day; half of it at most for identities.",
  ),
  sponsorGasPerIdentity: integer(0, 1e12)(
    "ARCADE_SPONSOR_GAS_PER_IDENTITY",
    "2000000",
    "Of it for one identity, or for one wallet without one.",
  ),
  sponsorGasPerAddress: integer(0, 1e12)(
    "ARCADE_SPONSOR_GAS_PER_ADDRESS",
    "5000000",
    "Of it for one IP address (an IPv6 /64), and one identity; not bounded while rate limits are off.",
  ),
  agentRegistry: contract(
    "ARCADE_AGENT_REGISTRY",
    null,
    "An ERC-8004 Identity registry of others on the same chain, such as the canonical one: wallets may link the agents that they hold there. Absent: no agent can be linked.",
  ),
  reputationRegistry: contract(
    "ARCADE_REPUTATION_REGISTRY",
    null,
    "An ERC-8004 Reputation registry: the operator publishes an agent's best score of a game there each time it reaches a higher tier. It has to be one of `AgentIdentity`, or of `ARCADE_AGENT_REGISTRY`. Absent: nothing is published.",
  ),
  logLevel: choice(
    "trace",
    "debug",
    "info",
    "warn",
    "error",
    "silent",
  )("ARCADE_LOG_LEVEL", "info", "Lowest level of log lines that are written."),
  metricsHost: metricsHost(
    "ARCADE_METRICS_HOST",
    "127.0.0.1",
    "Address that may read `/metrics` without a token; `*`: any, on chain 31337 only. Loopback counts only while the public URL is loopback: behind a proxy every request comes from there.",
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

/** The keys, apart from the settings: their values are never printed. */
export const SECRETS = {
  identitySigner: key("ARCADE_IDENTITY_SIGNER_KEY", null, "Key that signs identity mints: `0x…` or `@file`."),
  scoreSigner: key("ARCADE_SCORE_SIGNER_KEY", null, "Key that signs score snapshots: `0x…` or `@file`."),
  nftSigners: key(
    "ARCADE_NFT_SIGNER_KEY_{SLUG}",
    null,
    "Key that signs a game's NFT mints and upgrades: `0x…` or `@file`.",
  ),
  operator: key("ARCADE_OPERATOR_KEY", null, "Key that relays payouts and pays their gas: `0x…` or `@file`."),
} as const satisfies { readonly [name: string]: Setting };

/** The variable of a game: `ARCADE_TICK_HZ_{SLUG}` of `reef-rally` is `ARCADE_TICK_HZ_REEF_RALLY`. */
export const toGameVariable = (name: string, slug: string): string =>
  name.replace("{SLUG}", slug.toUpperCase().replaceAll("-", "_"));
