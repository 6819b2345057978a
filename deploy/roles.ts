import { readFile } from "node:fs/promises";
import type { Address } from "viem";
import { getAddress, isAddress } from "viem";
import { z } from "zod";
import { games } from "../games/index.ts";
import type { ArcadeParameters, ArcadeRoles, PlannedChanges } from "./modules/parameters.ts";

const address = z
  .string()
  .refine((text) => isAddress(text), { error: "expected an address: 0x and 40 hex digits, with a correct checksum" })
  .transform((text) => getAddress(text));

/** A whole number, with or without quotes. JSON numbers are exact only to 2^53, and most token amounts are larger. */
const wholeNumber = z
  .union([z.number(), z.string()], { error: "expected a whole number" })
  .refine(
    (value) => (typeof value === "string" ? /^\d{1,78}$/.test(value) : Number.isSafeInteger(value) && value >= 0),
    {
      error: "expected a whole number, in quotes if it has more than 15 digits",
    },
  );
const wholeAmount = wholeNumber.transform(BigInt);
const wholeSeconds = wholeNumber
  .transform(Number)
  .pipe(z.number().max(315_360_000, "expected at most 315360000 seconds"));

/** Pending changes: the chain may show the old value, the new one, or both. */
const NextValues = z.strictObject({
  admin: address.optional(),
  guardian: address.optional(),
  operator: address.optional(),
  signers: z
    .strictObject({
      identity: address.optional(),
      score: address.optional(),
      nft: z.strictObject(Object.fromEntries(games.map(({ slug }) => [slug, address.optional()]))).optional(),
    })
    .optional(),
  adminDelaySeconds: z.int().min(0).max(315_360_000).optional(),
  rewards: z
    .strictObject({
      maxScorePerSession: wholeAmount.optional(),
      maxPayout: wholeAmount.optional(),
      dailyCap: wholeAmount.optional(),
      weeklyCap: wholeAmount.optional(),
    })
    .optional(),
});

/** Who does what on a network, and limits that differ from the network's defaults. Only addresses, never keys. */
const RolesFile = z.strictObject({
  admin: address,
  guardian: address,
  operator: address,
  treasury: address,
  signers: z.strictObject({
    identity: address,
    score: address,
    nft: z.strictObject(Object.fromEntries(games.map(({ slug }) => [slug, address]))),
  }),
  publicUrl: z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, "")),
  adminDelaySeconds: wholeSeconds.optional(),
  signerDelaySeconds: wholeSeconds.optional(),
  float: wholeAmount.optional(),
  rewards: z
    .strictObject({
      scoreToTokenRate: wholeAmount.optional(),
      payoutCooldownSeconds: wholeSeconds.optional(),
      minScore: wholeAmount.optional(),
      maxScorePerSession: wholeAmount.optional(),
      maxPayout: wholeAmount.optional(),
      dailyCap: wholeAmount.optional(),
      weeklyCap: wholeAmount.optional(),
    })
    .optional(),
  next: NextValues.optional(),
});

export interface RolesAndLimits {
  readonly roles: ArcadeRoles;
  /** Applies the file's limits to the network's parameters. */
  readonly applyLimits: (parameters: ArcadeParameters) => ArcadeParameters;
}

/** All errors of the file. */
export class RolesFileError extends Error {
  constructor(path: string, errors: readonly string[]) {
    super(`${path} cannot be used:\n${errors.map((error) => `  - ${error}`).join("\n")}`);
    this.name = "RolesFileError";
  }
}

const omitUndefined = <T extends object>(values: T | undefined): Partial<T> =>
  Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;

/** `{ signers: { score: "0x…" } }` as `{ "signers.score": "0x…" }`. */
const flatten = (values: object, prefix = ""): PlannedChanges =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const path = `${prefix}${name}`;
      return typeof value === "object" ? Object.entries(flatten(value, `${path}.`)) : [[path, String(value)]];
    }),
  );

/** Reads a roles file. Throws `RolesFileError` with all of its errors. */
export async function readRoles(path: string): Promise<RolesAndLimits> {
  let json: unknown;
  try {
    // Editors on Windows write a byte-order mark.
    json = JSON.parse((await readFile(path, "utf8")).replace(/^\ufeff/, ""));
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new RolesFileError(path, ["it is not JSON"]);
    const { code } = cause as NodeJS.ErrnoException;
    throw new RolesFileError(path, [code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`]);
  }
  const parsed = RolesFile.safeParse(json);
  if (!parsed.success) {
    throw new RolesFileError(
      path,
      parsed.error.issues.map(({ path: at, message }) => `${at.join(".") || "the file"}: ${message}`),
    );
  }
  const { adminDelaySeconds, signerDelaySeconds, float, rewards, next = {}, ...roles } = parsed.data;
  const top = omitUndefined({ adminDelaySeconds, signerDelaySeconds, float });
  return {
    roles: roles as ArcadeRoles & { readonly admin: Address },
    applyLimits: (parameters) =>
      ({
        ...parameters,
        ...top,
        rewards: { ...parameters.rewards, ...omitUndefined(rewards) },
        next: flatten(next),
      }) as ArcadeParameters,
  };
}
