/** Market listings: hide one, show it again. */
import { defineCommand } from "../cli/command.ts";
import { CommandError, UsageError } from "../cli/failures.ts";
import { AS_FLAG, createAuditStamp, withStore } from "./context.ts";

const FLAGS = { reason: { type: "string", value: "TEXT", help: "recorded in the audit" }, ...AS_FLAG } as const;

const SAMPLE_LISTING_ID = `0x${"ab".repeat(32)}`;

const defineModerationCommand = (verb: "hide" | "show", method: "hideListing" | "restoreListing", summary: string) =>
  defineCommand({
    name: `listings ${verb}`,
    args: { listingId: { value: "LISTING_ID", help: "0x and 64 hex digits" } },
    summary,
    flags: FLAGS,
    examples: [`npm run admin -- listings ${verb} ${SAMPLE_LISTING_ID} --reason "..."`],
    async run({ flags, args }, terminal) {
      const listingId = args.listingId.toLowerCase();
      if (!/^0x[0-9a-f]{64}$/.test(listingId)) throw new UsageError("LISTING_ID: expected 0x and 64 hex digits");
      const outcome = await withStore(({ operator }) =>
        operator[method](listingId as `0x${string}`, flags.reason ?? "", createAuditStamp(flags)),
      );
      if (outcome === "unknown") throw new CommandError(`There is no listing ${listingId}.`);
      terminal.print(outcome === "changed" ? `Done: listings ${verb} ${listingId}` : "Nothing to do: no change");
      return { listingId, outcome };
    },
  });

export const LISTING_COMMANDS = [
  defineModerationCommand("hide", "hideListing", "hides a listing from the public; its seller cannot publish it again"),
  defineModerationCommand(
    "show",
    "restoreListing",
    "undoes `listings hide`; the listing is visible again if it was before",
  ),
];
