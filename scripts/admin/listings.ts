/** Listings of the market: taken from view and given back. */
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { AS_FLAG, onlyOne, stampOf, withStore } from "./place.ts";
import { defineSubcommand } from "./subcommand.ts";

const FLAGS = { reason: { type: "string", value: "TEXT", help: "kept in the audit" }, ...AS_FLAG } as const;

const SAMPLE = `0x${"ab".repeat(32)}`;

const moderate = (verb: "hide" | "show", method: "hideListing" | "restoreListing", summary: string) =>
  defineSubcommand({
    path: `listings ${verb}`,
    positionals: "LISTING_ID",
    summary,
    flags: FLAGS,
    example: `listings ${verb} ${SAMPLE} --reason "..."`,
    async run({ flags, positionals }, terminal) {
      const listingId = onlyOne(positionals, "listing id").toLowerCase();
      if (!/^0x[0-9a-f]{64}$/.test(listingId)) throw new UsageError("Expected a listing id: 0x and 64 hex digits");
      const outcome = await withStore(({ operator }) =>
        operator[method](listingId as `0x${string}`, flags.reason ?? "", stampOf(flags)),
      );
      if (outcome === "unknown") throw new CommandError(`There is no listing ${listingId}.`);
      terminal.say(outcome === "changed" ? `Done: listings ${verb} ${listingId}` : "It was so before");
      terminal.answer({ ok: true, listingId, outcome });
      return EXIT.ok;
    },
  });

export const LISTING_COMMANDS = [
  moderate("hide", "hideListing", "takes a listing from public view; its seller cannot publish it again"),
  moderate("show", "restoreListing", "lifts that; the listing is visible again if it was before"),
];
