import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { TICK_RATES } from "../games/fixed.ts";
import type { Game } from "../games/game.ts";
import { games as builtIn } from "../games/index.ts";
import { isWellKnownKey, LOCAL_CHAIN_ID } from "./dev-keys.ts";
import { SETTINGS, type Setting, slugInName } from "./table.ts";

type Hex = `0x${string}`;

/** The settings of one process, frozen. Secrets stand apart (`readSecrets`) and are never printed. */
export interface Config {
  readonly port: number;
  /** True where the port was set: busy is an error then. */
  readonly portIsSet: boolean;
  readonly host: string;
  readonly publicUrl: string | null;
  readonly rpcUrl: string | null;
  readonly rpcPort: number;
  readonly rpcPortIsSet: boolean;
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly deploymentPath: string;
  readonly accessTtlSeconds: number;
  readonly refreshTtlSeconds: number;
  readonly authDomains: readonly string[] | null;
  readonly allowErc1271: boolean;
  readonly confirmations: number;
  readonly trustProxy: boolean;
  readonly spectatorsMax: number;
  readonly tickHz: { readonly [slug: string]: number };
  readonly rateLimits: "on" | "off" | null;
  readonly logLevel: string;
  readonly metricsHost: string;
}

export interface Secrets {
  readonly identitySigner: Hex | null;
  readonly scoreSigner: Hex | null;
  readonly nftSigners: { readonly [slug: string]: Hex | null };
  readonly operator: Hex | null;
}

/** All faults of the configuration at once, each naming the variable, what was expected and what came. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`,
    );
    this.name = "ConfigError";
    this.faults = faults;
  }
}

/** What the settings of each game follow from. */
type Games = readonly Pick<Game, "slug" | "tickHz">[];
type Environment = { readonly [name: string]: string | undefined };

function faultOf(setting: Setting, name: string, value: string): string | null {
  switch (setting.kind) {
    case "integer": {
      const number = Number(value);
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = setting;
      const fits = /^\d+$/.test(value) && number >= min && number <= max;
      return fits ? null : `${name}: expected an integer from ${min} to ${max}, received "${value}"`;
    }
    case "boolean":
      return value === "true" || value === "false" ? null : `${name}: expected true or false, received "${value}"`;
    case "choice":
      return setting.choices?.includes(value)
        ? null
        : `${name}: expected ${setting.choices?.join(" or ")}, received "${value}"`;
    case "url":
      return URL.canParse(value)
        ? null
        : `${name}: expected an address like http://127.0.0.1:4100, received "${value}"`;
    default:
      return null;
  }
}

/** Every variable of the table with its value, per-game ones expanded. */
function readValues(environment: Environment, games: Games, faults: string[]): Map<string, string | null> {
  const values = new Map<string, string | null>();
  for (const setting of SETTINGS as readonly Setting[]) {
    const names = setting.perGame
      ? games.map((game) => setting.name.replace("{SLUG}", slugInName(game.slug)))
      : [setting.name];
    for (const name of names) {
      const given = environment[name];
      const value = given === undefined || given === "" ? setting.fallback : given;
      const fault = value === null ? null : faultOf(setting, name, value);
      if (fault !== null) faults.push(fault);
      values.set(name, value);
    }
  }
  for (const name of Object.keys(environment)) {
    if (name.startsWith("ARCADE_") && !name.startsWith("ARCADE_AGENT_") && !values.has(name)) {
      faults.push(`${name}: there is no such setting (docs/config.md lists them all)`);
    }
  }
  return values;
}

/** Reads the settings, those of each of `games` among them; throws one `ConfigError` with every fault. */
export function readConfig(environment: Environment = process.env, games: Games = builtIn): Config {
  const faults: string[] = [];
  const values = readValues(environment, games, faults);
  const text = (name: string): string | null => values.get(name) ?? null;
  const integer = (name: string): number => Number(text(name));
  const databaseUrl = text("ARCADE_DATABASE_URL");
  if (databaseUrl !== null && !/^sqlite:.+/.test(databaseUrl)) {
    faults.push(`ARCADE_DATABASE_URL: expected sqlite:PATH, received "${databaseUrl.split("@").at(-1)}"`);
  }
  for (const { slug } of games) {
    const name = `ARCADE_TICK_HZ_${slugInName(slug)}`;
    const hz = text(name);
    if (hz !== null && !TICK_RATES.includes(Number(hz)))
      faults.push(`${name}: expected one of ${TICK_RATES.join(", ")}, received "${hz}"`);
  }
  if (faults.length > 0) throw new ConfigError(faults);

  const dataDir = resolve(text("ARCADE_DATA_DIR")!);
  return Object.freeze({
    port: integer("ARCADE_PORT"),
    portIsSet: Boolean(environment.ARCADE_PORT),
    host: text("ARCADE_HOST")!,
    publicUrl: text("ARCADE_PUBLIC_URL")?.replace(/\/+$/, "") ?? null,
    rpcUrl: text("ARCADE_RPC_URL"),
    rpcPort: integer("ARCADE_RPC_PORT"),
    rpcPortIsSet: Boolean(environment.ARCADE_RPC_PORT),
    databaseUrl: databaseUrl ?? `sqlite:${resolve(dataDir, "arcade.db")}`,
    dataDir,
    deploymentPath: resolve(text("ARCADE_DEPLOYMENT") ?? resolve(dataDir, "deployment.json")),
    accessTtlSeconds: integer("ARCADE_GAME_AUTH_ACCESS_TTL_SECONDS"),
    refreshTtlSeconds: integer("ARCADE_GAME_AUTH_REFRESH_TTL_SECONDS"),
    authDomains:
      text("ARCADE_AUTH_DOMAINS")
        ?.split(",")
        .map((domain) => domain.trim()) ?? null,
    allowErc1271: text("ARCADE_AUTH_ALLOW_ERC1271") === "true",
    confirmations: integer("ARCADE_CONFIRMATIONS"),
    trustProxy: text("ARCADE_TRUST_PROXY") === "true",
    spectatorsMax: integer("ARCADE_SPECTATORS_MAX"),
    tickHz: Object.fromEntries(
      games.map((game) => [game.slug, Number(text(`ARCADE_TICK_HZ_${slugInName(game.slug)}`) ?? game.tickHz)]),
    ),
    rateLimits: text("ARCADE_RATE_LIMITS") as Config["rateLimits"],
    logLevel: text("ARCADE_LOG_LEVEL")!,
    metricsHost: text("ARCADE_METRICS_HOST")!,
  });
}

function readKey(name: string, value: string | undefined, faults: string[]): Hex | null {
  if (value === undefined || value === "") return null;
  let key = value;
  if (value.startsWith("@")) {
    try {
      key = readFileSync(value.slice(1), "utf8").trim();
    } catch {
      faults.push(`${name}: the file after @ cannot be read`);
      return null;
    }
  }
  if (/^0x[0-9a-fA-F]{64}$/.test(key)) return key.toLowerCase() as Hex;
  faults.push(`${name}: expected 0x and 64 hex digits, or @file with them`);
  return null;
}

/** Reads the keys, one of each of `games` among them; their values never appear in a message. */
export function readSecrets(environment: Environment = process.env, games: Games = builtIn): Secrets {
  const faults: string[] = [];
  const key = (name: string): Hex | null => readKey(name, environment[name], faults);
  const secrets: Secrets = {
    identitySigner: key("ARCADE_IDENTITY_SIGNER_KEY"),
    scoreSigner: key("ARCADE_SCORE_SIGNER_KEY"),
    nftSigners: Object.fromEntries(games.map(({ slug }) => [slug, key(`ARCADE_NFT_SIGNER_KEY_${slugInName(slug)}`)])),
    operator: key("ARCADE_OPERATOR_KEY"),
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return secrets;
}

/** What must hold once the chain is known: outside 31337 every key is set and none is a development key. */
export function checkForChain(config: Config, secrets: Secrets, chainId: number): void {
  if (chainId === LOCAL_CHAIN_ID) return;
  const faults: string[] = [];
  if (config.rateLimits === "off")
    faults.push(`ARCADE_RATE_LIMITS: off is for chain ${LOCAL_CHAIN_ID} alone, this is ${chainId}`);
  const keys: [string, Hex | null][] = [
    ["ARCADE_IDENTITY_SIGNER_KEY", secrets.identitySigner],
    ["ARCADE_SCORE_SIGNER_KEY", secrets.scoreSigner],
    ["ARCADE_OPERATOR_KEY", secrets.operator],
    ...Object.entries(secrets.nftSigners).map(([slug, key]): [string, Hex | null] => [
      `ARCADE_NFT_SIGNER_KEY_${slugInName(slug)}`,
      key,
    ]),
  ];
  for (const [name, key] of keys) {
    if (key === null) faults.push(`${name}: must be set on chain ${chainId}`);
    else if (isWellKnownKey(key))
      faults.push(`${name}: is a development key that everybody knows; make a new one for chain ${chainId}`);
  }
  if (faults.length > 0) throw new ConfigError(faults);
}
