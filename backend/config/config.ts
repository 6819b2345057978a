import { resolve } from "node:path";
import { z } from "zod";
import { LOCAL_CHAIN_ID } from "../../domain/chain-ids.ts";
import { getKeyAddress, type KeySource } from "../../domain/keys.ts";
import { hasEveryRole } from "../../domain/roles.ts";
import type { Game } from "../../games/game.ts";
import { games as builtIn } from "../../games/index.ts";
import { isGuessableKey, isWellKnownAddress } from "./dev-keys.ts";
import { type Environment, getEnvironment } from "./environment.ts";
import type { Setting } from "./kinds.ts";
import { SECRETS, SETTINGS, toGameVariable } from "./table.ts";

type Table = { readonly [property: string]: Setting };
type ValueOf<Entry extends Setting> = z.output<Entry["schema"]>;

/** The settings of one process, frozen. Secrets are separate (`readSecrets`). */
export interface Config
  extends Readonly<
    Omit<
      { [Property in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Property]> },
      "databaseUrl" | "deploymentPath" | "tickHz" | "rpcUrls"
    >
  > {
  /** True if the port was set; a busy port is then an error. */
  readonly portIsSet: boolean;
  readonly rpcPortIsSet: boolean;
  /** The first node of the chain, null if none is set. */
  readonly rpcUrl: string | null;
  readonly moreRpcUrls: readonly string[];
  readonly databaseUrl: string;
  readonly deploymentPath: string;
  readonly tickHz: { readonly [slug: string]: number };
}

export interface Secrets {
  readonly identitySigner: KeySource | null;
  readonly scoreSigner: KeySource | null;
  readonly nftSigners: { readonly [slug: string]: KeySource | null };
  readonly operator: KeySource | null;
  /** The bearer token of remote signers. */
  readonly signerToken: string | null;
}

/** All errors of the configuration at once: the variable, what was expected, what was received, what to do. */
export class ConfigError extends Error {
  readonly issues: readonly string[];
  constructor(issues: readonly string[]) {
    const count = issues.length === 1 ? "an error" : `${issues.length} errors`;
    super(`The configuration has ${count}:\n${issues.map((issue) => `  - ${issue}`).join("\n")}`);
    this.name = "ConfigError";
    this.issues = issues;
  }
}

/** The games whose settings are read. */
type Games = readonly Pick<Game, "slug" | "tickHz">[];

/** Variables of a table with their settings; a setting per game has one variable for each game. */
export const listVariables = (table: Table, games: Games): readonly (readonly [name: string, setting: Setting])[] =>
  Object.values(table).flatMap((setting) =>
    setting.name.includes("{SLUG}")
      ? games.map(({ slug }) => [toGameVariable(setting.name, slug), setting] as const)
      : [[setting.name, setting] as const],
  );

/**
 * Kubernetes sets variables in every container for each Service of its namespace: a Service named `arcade` sets
 * `ARCADE_PORT=tcp://10.96.0.1:80`, `ARCADE_SERVICE_HOST` and more. These are not meant as settings.
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
const SERVICE_LINK = /_SERVICE_HOST$|_SERVICE_PORT(?:_\w+)?$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;
const isServiceLink = (name: string, value = ""): boolean =>
  SERVICE_LINK.test(name) || (name.endsWith("_PORT") && /^(?:tcp|udp|sctp):\/\//.test(value));

/** Settings that were renamed; their former names still work. */
const FORMER_NAMES: { readonly [name: string]: string } = { ARCADE_HOUSE_AGENTS: SETTINGS.demoAgents.name };

/** Drops Kubernetes service links, and renames old settings unless the new name is set too. */
function toCurrentSettings(environment: Environment): Environment {
  const others = Object.entries(environment).filter(([name, value]) => !isServiceLink(name, value));
  const renamed = Object.entries(FORMER_NAMES).flatMap(([former, name]) =>
    unquote(environment[name]) === "" ? [[name, environment[former]]] : [],
  );
  return Object.fromEntries([...others.filter(([name]) => !(name in FORMER_NAMES)), ...renamed]);
}

/** Settings of the commands: what they print about a failure, and those of `npm run agent`. */
const COMMAND_VARIABLES = /^ARCADE_(?:DEBUG$|AGENT_)/;

/** Keys that only commands use. The service must not have them. */
export const COMMAND_KEYS: ReadonlySet<string> = new Set([
  "ARCADE_ADMIN_KEY",
  "ARCADE_DEPLOYER_KEY",
  "ARCADE_GUARDIAN_KEY",
  "ARCADE_TREASURY_KEY",
]);

/** Names that begin with `ARCADE_` but belong to no setting. */
const listUnknownNames = (environment: Environment, games: Games): readonly string[] => {
  const known = new Set(listVariables({ ...SETTINGS, ...SECRETS }, games).map(([name]) => name));
  return Object.keys(environment).filter(
    (name) => name.startsWith("ARCADE_") && !COMMAND_VARIABLES.test(name) && !known.has(name),
  );
};

export function toIssue(name: string, { isSecret, defaultText }: Setting, message: string, received: string): string {
  const receivedText = isSecret ? "a value that is not shown" : `"${received}"`;
  const next = defaultText === null ? "correct it, or leave it out" : `correct it, or leave it out for ${defaultText}`;
  return `${name}: ${message}, received ${receivedText}; ${next}`;
}

/** Removes surrounding whitespace, and the quotes that Docker's `--env-file` keeps. */
export const unquote = (value = ""): string =>
  value
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2")
    .trim();

/** Reads the variables of one table by their schemas; a per-game setting becomes an object by slug. */
function readTable(table: Table, environment: Environment, games: Games) {
  const variables = listVariables(table, games);
  const schema = z.object(Object.fromEntries(variables.map(([name, setting]) => [name, setting.schema])));
  const input = Object.fromEntries(
    variables.map(([name, { defaultText }]) => [name, unquote(environment[name]) || defaultText]),
  );
  const parsed = schema.safeParse(input);
  const settings = new Map(variables);
  const issues = (parsed.error?.issues ?? []).map(({ path, message }) => {
    const name = String(path[0]);
    return toIssue(name, settings.get(name)!, message, environment[name] ?? "");
  });
  const values = parsed.data ?? {};
  const byProperty = Object.entries(table).map(([property, { name }]) => [
    property,
    name.includes("{SLUG}")
      ? Object.fromEntries(games.map(({ slug }) => [slug, values[toGameVariable(name, slug)]]))
      : values[name],
  ]);
  return { issues, values: Object.fromEntries(byProperty) as unknown };
}

type SettingValues = {
  readonly [Property in Exclude<keyof typeof SETTINGS, "tickHz">]: ValueOf<(typeof SETTINGS)[Property]>;
} & { readonly tickHz: { readonly [slug: string]: number | null } };

/** Processes with different roles must share a database and reach each other's games. */
function findRoleIssues({ roles, databaseUrl, natsUrl }: Pick<SettingValues, "roles" | "databaseUrl" | "natsUrl">) {
  if (hasEveryRole(roles)) return [];
  const isShared = databaseUrl?.startsWith("postgres") ?? false;
  const missing = [
    ...(isShared ? [] : [`${SETTINGS.databaseUrl.name}=postgres://…`]),
    ...(natsUrl === null ? [SETTINGS.natsUrl.name] : []),
  ];
  if (missing.length === 0) return [];
  return [
    `${SETTINGS.roles.name}: expected ${missing.join(" and ")} beside "${roles.join(",")}", which servers with the other roles share, received none; set what is missing, or leave the roles out`,
  ];
}

/** Reads the settings, including those of each of `games`. Throws one `ConfigError` with every error. */
export function readConfig(given: Environment = getEnvironment(), games: Games = builtIn): Config {
  const environment = toCurrentSettings(given);
  const { issues, values } = readTable(SETTINGS, environment, games);
  const unknown = listUnknownNames(environment, games).map((name) =>
    COMMAND_KEYS.has(name)
      ? `${name}: this key belongs to npm run deploy and npm run admin, and the service must not have it; unset it`
      : `${name}: unknown setting; docs/config.md lists them all`,
  );
  if (issues.length + unknown.length > 0) throw new ConfigError([...issues, ...unknown]);
  const settings = values as SettingValues;
  const roleIssues = findRoleIssues(settings);
  if (roleIssues.length > 0) throw new ConfigError(roleIssues);
  const { rpcUrls, ...others } = settings;
  const [rpcUrl = null, ...moreRpcUrls] = rpcUrls ?? [];
  const dataDir = resolve(settings.dataDir);
  return Object.freeze({
    ...others,
    rpcUrl,
    moreRpcUrls,
    portIsSet: unquote(environment.ARCADE_PORT) !== "",
    rpcPortIsSet: unquote(environment.ARCADE_RPC_PORT) !== "",
    dataDir,
    databaseUrl: settings.databaseUrl ?? `sqlite:${resolve(dataDir, "arcade.db")}`,
    deploymentPath: resolve(settings.deploymentPath ?? resolve(dataDir, "deployment.json")),
    tickHz: Object.fromEntries(games.map(({ slug, tickHz }) => [slug, settings.tickHz[slug] ?? tickHz])),
  });
}

/** Reads the keys, including one for each of `games`; their values never appear in a message. */
export function readSecrets(environment: Environment = getEnvironment(), games: Games = builtIn): Secrets {
  const { issues, values } = readTable(SECRETS, environment, games);
  if (issues.length > 0) throw new ConfigError(issues);
  return values as Secrets;
}

/** Returns what `read` returns, or the `ConfigError` that it throws. */
function catchConfigError<T>(read: () => T): T | ConfigError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

/** Reads settings and keys. Throws one `ConfigError` with the errors of both. */
export function readConfigAndSecrets(environment: Environment = getEnvironment()): {
  readonly config: Config;
  readonly secrets: Secrets;
} {
  const config = catchConfigError(() => readConfig(environment));
  const secrets = catchConfigError(() => readSecrets(environment));
  if (!(config instanceof ConfigError) && !(secrets instanceof ConfigError)) return { config, secrets };
  const errors = [config, secrets].filter((result) => result instanceof ConfigError);
  throw new ConfigError(errors.flatMap(({ issues }) => issues));
}

/** The keys by their variables. */
const listKeys = (secrets: Secrets): readonly (readonly [name: string, key: KeySource | null])[] => [
  [SECRETS.identitySigner.name, secrets.identitySigner],
  [SECRETS.scoreSigner.name, secrets.scoreSigner],
  [SECRETS.operator.name, secrets.operator],
  ...Object.entries(secrets.nftSigners).map(
    ([slug, key]) => [toGameVariable(SECRETS.nftSigners.name, slug), key] as const,
  ),
];

/**
 * Each key has one purpose: the operator's key is online and pays gas, and a leaked signing key must not work for
 * another role.
 */
function findSharedKeys(secrets: Secrets): readonly string[] {
  const first = new Map<string, string>();
  return listKeys(secrets).flatMap(([name, key]) => {
    if (key === null) return [];
    const address = getKeyAddress(key);
    const other = first.get(address);
    first.set(address, other ?? name);
    return other === undefined ? [] : [`${name}: expected a separate key, received that of ${other}; make another one`];
  });
}

/** Problems on all chains but the local one. */
function findPublicChainIssues(config: Config, secrets: Secrets, chainId: number): readonly string[] {
  const issues: string[] = [];
  if (config.rateLimits === "off")
    issues.push(
      `${SETTINGS.rateLimits.name}: expected on, received "off"; only chain ${LOCAL_CHAIN_ID} runs without limits`,
    );
  if (config.publicUrl === null)
    issues.push(
      `${SETTINGS.publicUrl.name}: expected the address by which clients reach the service, received none; sign-in messages and token documents contain it on chain ${chainId}`,
    );
  if (config.metricsHost === "*")
    issues.push(
      `${SETTINGS.metricsHost.name}: expected an IP address, received "*"; set ${SETTINGS.metricsToken.name} to read the metrics from elsewhere`,
    );
  for (const [name, key] of listKeys(secrets)) {
    if (key === null) issues.push(`${name}: expected a key, received none; set one for chain ${chainId}`);
    else if (isWellKnownAddress(getKeyAddress(key)))
      issues.push(
        `${name}: expected a key of your own, received a public development key; make one for chain ${chainId}`,
      );
    else if (typeof key === "string" && isGuessableKey(key))
      issues.push(
        `${name}: expected a random key, received one that can be guessed; make one for chain ${chainId} (npm run admin -- keys create)`,
      );
  }
  return issues;
}

/**
 * Checks what the schemas of single settings cannot see: no two duties share a key; on all chains but the local one
 * every key is set, none is a development key, and the public address is known. Throws one `ConfigError`.
 */
export function checkForChain(config: Config, secrets: Secrets, chainId: number): void {
  const issues = [
    ...findSharedKeys(secrets),
    ...(chainId === LOCAL_CHAIN_ID ? [] : findPublicChainIssues(config, secrets, chainId)),
  ];
  if (issues.length > 0) throw new ConfigError(issues);
}
