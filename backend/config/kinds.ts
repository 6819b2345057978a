/** Kinds of settings: how a variable's text becomes a value, and the message for a wrong one. */
import { isIP } from "node:net";
import { z } from "zod";
import type { KeySource } from "../../domain/keys.ts";
import { ROLES } from "../../domain/roles.ts";
import { TICK_RATES } from "../../games/fixed.ts";
import { readKeySource, readSecretText } from "./private-keys.ts";

export interface Setting<Schema extends z.ZodType = z.ZodType> {
  /** The environment variable; `{SLUG}` is replaced by a game's slug in capitals, one variable per game. */
  readonly name: string;
  /** The text used if the variable is absent; null: none. */
  readonly defaultText: string | null;
  readonly description: string;
  /** The form of the value, for the documents. */
  readonly form: string;
  /** Turns the variable's text, or null, into its value; its errors contain what was expected. */
  readonly schema: Schema;
  /** True if the text may hold a key or a password; messages never repeat it. */
  readonly isSecret: boolean;
}

/** A kind of setting: `form` is for the documents, the schema's error for messages. */
const defineKind =
  <Value>(form: string, schema: z.ZodType<Value>, isSecret = false) =>
  <const Default extends string | null>(name: string, defaultText: Default, description: string) => ({
    name,
    defaultText,
    description,
    form,
    isSecret,
    schema: (defaultText === null ? schema.nullable() : schema) as z.ZodType<
      Value | (Default extends null ? null : never)
    >,
  });

/** The text of a secret, given directly or as `@file` with it inside. */
const secretText = z.string().transform((value, context) => {
  try {
    return readSecretText("secret", value);
  } catch (error) {
    context.addIssue((error as Error).message.replace(/^secret: /, ""));
    return z.NEVER;
  }
});
const defineSecret = <Value>(form: string, schema: z.ZodType<Value, string>) =>
  defineKind(`${form}, or \`@file\``, secretText.pipe(schema), true);

export const integer = (min: number, max: number) => {
  const error = `expected an integer from ${min} to ${max}`;
  const digits = z.string().regex(/^\d+$/, { error, abort: true });
  return defineKind(
    `integer, ${min} to ${max}`,
    digits.transform(Number).pipe(z.number().min(min, { error }).max(max, { error })),
  );
};
/** What YAML, Ansible and Terraform make of on and off. */
const SWITCHES: ReadonlyMap<string, boolean> = new Map(
  ["true", "on", "yes", "1", "false", "off", "no", "0"].map((word, index) => [word, index < 4]),
);
const readSwitch = (value: unknown): boolean | undefined => SWITCHES.get(String(value).toLowerCase());

export const choice = <const Value extends string>(...values: readonly Value[]) =>
  defineKind(
    values.map((value) => `\`${value}\``).join(" or "),
    // The compiler emits a declaration of the inferred type that it rejects itself.
    z.preprocess(
      (value) => {
        const isOn = values.includes("on" as Value) ? readSwitch(value) : undefined;
        return isOn === undefined ? value : isOn ? "on" : "off";
      },
      z.enum(values, { error: `expected ${values.join(" or ")}` }),
    ) as unknown as z.ZodType<Value>,
  );
const flag = z.preprocess((value) => readSwitch(value) ?? value, z.boolean({ error: "expected true or false" }));
/** Any other scheme, such as `file:`, would fail later or read something else. */
const urlText = z.string().refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
  error: "expected an address like http://127.0.0.1:8545 (http or https: the service opens no WebSocket to a node)",
});
/**
 * The address of the service itself: an origin. Anything after it would be lost in links, sockets and sign-in messages.
 */
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
/** `host` or `host:port`, spelled as in URLs. */
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
/** An address to listen on, without brackets, scheme and port. */
const hostText = z
  .string()
  .transform((value) => value.replace(/^\[(.*)\]$/, "$1"))
  .refine((value) => isIP(value) !== 0 || /^[\w.-]+$/.test(value), {
    error: "expected an IP address or a host name, without scheme and port (ARCADE_PORT has it)",
  });
const isNetwork = (value: string): boolean => {
  const [, address = "", bits = "0"] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
  return isIP(address) !== 0 && Number(bits) <= (isIP(address) === 6 ? 128 : 32);
};
/** `true` means one proxy. */
const proxiesText = z.string().transform((value, context): number | readonly string[] => {
  if (/^(?:true|false)$/i.test(value)) return value.toLowerCase() === "true" ? 1 : 0;
  if (/^\d$/.test(value)) return Number(value);
  const networks = value.split(",").map((item) => item.trim());
  if (networks.every(isNetwork)) return networks;
  context.addIssue("expected true, false, the number of proxies (0 to 9), or their networks, like 10.0.0.0/8,fd00::/8");
  return z.NEVER;
});
const metricsHostText = z.string().refine((value) => value === "*" || isIP(value) !== 0, {
  error: "expected an IP address, or * for any",
});
const rate = z.enum(TICK_RATES.map(String), { error: `expected one of ${TICK_RATES.join(", ")}` });

/** A file or folder. Only shells replace `~`; Docker, systemd and settings files pass it on unchanged. */
export const path = defineKind(
  "path",
  z.string().refine((value) => !/^~(\/|$)/.test(value), { error: "expected a path without ~: write it in full" }),
);
export const host = defineKind("address or host name", hostText);
export const proxies = defineKind("boolean, number or list of networks", proxiesText);
export const boolean = defineKind("boolean", flag as unknown as z.ZodType<boolean>);
/** Nodes of one chain, in order of use; a URL may contain an access key. */
export const secretUrls = defineSecret(
  "list",
  z
    .string()
    .transform((value) => value.split(",").map((item) => item.trim()))
    .pipe(z.array(urlText))
    .refine((urls) => new Set(urls.map((url) => url.replace(/\/+$/, ""))).size === urls.length, {
      error: "expected each address once",
    }),
);
export const publicUrlWithPath = defineKind("url", urlText);
export const origin = defineKind("url", originText);
export const domains = defineKind(
  "list",
  z
    .string()
    .transform((value) => value.split(",").map((item) => item.trim()))
    .pipe(z.array(domainText)),
);
export const metricsHost = defineKind("address or `*`", metricsHostText);
export const token = defineSecret("text", z.string().min(16, { error: "expected at least 16 characters" }));
/** An unescaped `#` or `/` in a password ends the host of a URL early; `URL` treats a list of hosts as one. */
const isOneServer = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && !url.host.includes(",") && url.hash === "";
};
export const database = defineSecret(
  "text",
  z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)/, { error: "expected sqlite:PATH or postgres://HOST/DATABASE" })
    .refine((text) => !/^sqlite:\/\/[^/]|^sqlite:.*\?/.test(text), {
      error: "expected sqlite:FILE, or sqlite:/FOLDER/FILE, without // and without a part after ?",
    })
    .refine((text) => !text.startsWith("postgres") || isOneServer(text), {
      error: "expected postgres://USER:PASSWORD@HOST/DATABASE with one host, and %23 for # and %2F for / in a password",
    }),
);
export const natsServers = defineSecret(
  "list",
  z.string().regex(/^(nats|tls):\/\/[^,\s]+(,(nats|tls):\/\/[^,\s]+)*$/, {
    error: "expected nats://HOST or tls://HOST, or several of them with commas between",
  }),
);
const roleText = z.enum(ROLES, { error: `expected some of ${ROLES.join(", ")}, with commas between` });
export const roleList = defineKind(
  `list of ${ROLES.map((role) => `\`${role}\``).join(", ")}`,
  z
    .string()
    .transform((value) => value.split(",").map((item) => item.trim()))
    .pipe(z.array(roleText))
    .transform((roles) => ROLES.filter((role) => roles.includes(role))),
);
export const tickHz = defineKind(TICK_RATES.join(", "), rate.transform(Number));
export const key = defineKind<KeySource>(
  "key",
  z.string().transform((value, context) => {
    try {
      return readKeySource("key", value);
    } catch (error) {
      context.addIssue((error as Error).message.replace(/^key: /, ""));
      return z.NEVER;
    }
  }),
  true,
);
