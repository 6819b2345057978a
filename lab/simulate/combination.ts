/** Which flags of `npm run lab -- simulate` go together. */
import { UsageError } from "../../scripts/cli/failures.ts";
import { SIMULATED_FAULTS } from "../injected/faults.ts";

export const ALL = "all";
export const QUICK = "quick";

export const toNames = (injected: string): readonly string[] =>
  injected === ALL ? Object.keys(SIMULATED_FAULTS) : injected.split(",");

const MODES = ["twice", "page", "mutants", "injected", "steer"] as const;
/** Flags that have no effect in a mode. */
const USELESS: { readonly [mode in (typeof MODES)[number]]: readonly string[] } = {
  twice: ["write"],
  page: ["write", "runs", "seconds", "processes"],
  mutants: [],
  injected: [],
  // The tables are of consecutive seeds.
  steer: ["write"],
};

/** Throws `UsageError` if a flag would have no effect, and for an unknown fault. */
export function checkCombination(flags: { readonly [name: string]: string | boolean | undefined }): void {
  const given = Object.keys(flags).filter((name) => flags[name] !== undefined && flags[name] !== false);
  const mode = MODES.find((name) => given.includes(name));
  if (mode === undefined) return;
  const { injected } = flags;
  const excluded = [...MODES.filter((name) => name !== mode), ...USELESS[mode]];
  if (injected === QUICK) excluded.push("seconds", "write");
  const useless = given.find((name) => excluded.includes(name));
  if (useless !== undefined)
    throw new UsageError(`--${useless}: not with --${mode}${mode === "injected" ? ` ${injected}` : ""}`);
  const names = injected === undefined || injected === QUICK ? [] : toNames(String(injected));
  const unknown = names.find((name) => SIMULATED_FAULTS[name] === undefined);
  if (unknown !== undefined)
    throw new UsageError(
      `--injected: expected ${[ALL, QUICK, ...Object.keys(SIMULATED_FAULTS)].join(", ")}, received ${unknown}`,
    );
}
