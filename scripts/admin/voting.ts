/** Candidates on their way through application, review, onboarding. */
import {
  CANDIDATE_MOVES,
  CANDIDATE_STATES,
  type CandidateState,
  ONBOARDING_STATES,
} from "../../backend/domain/voting.ts";
import { applicationForm } from "../../backend/domain/voting-application.ts";
import { games } from "../../backend/games/index.ts";
import type { AuditStamp, CandidateRow, Store } from "../../backend/ports.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { table } from "../cli/style.ts";
import { AS_FLAG, none, onlyOne, stampOf, withStore } from "./place.ts";
import { defineSubcommand } from "./subcommand.ts";

const NOTE_FLAG = {
  note: { type: "string", value: "TEXT", help: "kept with the candidate and in the audit" },
} as const;

async function moveTo(
  store: Store,
  slug: string,
  to: keyof typeof CANDIDATE_MOVES,
  note: string | undefined,
  stamp: AuditStamp,
): Promise<CandidateRow> {
  const from: readonly CandidateState[] = CANDIDATE_MOVES[to];
  const moved = await store.voting.move(slug, { from, to, note: note ?? null }, stamp);
  if (moved !== null) return moved;
  const found = await store.voting.findCandidate(slug);
  if (found === null)
    throw new CommandError(`There is no candidate "${slug}".`, { next: "npm run admin -- voting list" });
  throw new CommandError(`Only a candidate that is ${from.join(" or ")} can become ${to}; ${slug} is ${found.state}.`);
}

const apply = defineSubcommand({
  path: "voting apply",
  summary: "takes a developer's application",
  flags: {
    slug: { type: "string", value: "SLUG", help: "the game's slug: lower-case words with hyphens" },
    title: { type: "string", value: "TEXT", help: "the game's name" },
    developer: { type: "string", value: "TEXT", help: "who made it" },
    url: { type: "string", value: "URL", help: "where it can be looked at (https)" },
    ...AS_FLAG,
  },
  example: 'voting apply --slug reef-rally --title "Reef Rally" --developer "Coral Games" --url https://example.org',
  async run({ flags, positionals }, terminal) {
    none(positionals);
    const { slug, title, developer, url } = flags;
    const form = applicationForm(games.map((game) => game.slug)).safeParse({ slug, title, developer, url });
    if (!form.success)
      throw new UsageError(form.error.issues.map(({ path, message }) => `--${path.join(".")}: ${message}`).join("; "));
    const candidate = form.data;
    if (!(await withStore((store) => store.voting.apply(candidate, stampOf(flags)))))
      throw new CommandError(`The slug "${candidate.slug}" has applied before; every game applies once.`);
    terminal.say(`${candidate.slug} has applied`);
    terminal.answer({ ok: true, ...candidate, state: "applied" });
    return EXIT.ok;
  },
});

const review = defineSubcommand({
  path: "voting review",
  positionals: "SLUG",
  summary: "approves or rejects an application (technical, product, safety)",
  flags: {
    approve: { type: "boolean", help: "it may stand for election" },
    reject: { type: "boolean", help: "it may not" },
    ...NOTE_FLAG,
    ...AS_FLAG,
  },
  example: 'voting review reef-rally --approve --note "runs at 30 Hz"',
  async run({ flags, positionals }, terminal) {
    const slug = onlyOne(positionals, "slug");
    if (flags.approve === flags.reject) throw new UsageError("Expected either --approve or --reject");
    const to = flags.approve ? "approved" : "rejected";
    const moved = await withStore((store) => moveTo(store, slug, to, flags.note, stampOf(flags)));
    terminal.say(`${slug} is ${to}`);
    terminal.answer({ ok: true, ...moved });
    return EXIT.ok;
  },
});

const onboard = defineSubcommand({
  path: "voting onboard",
  positionals: "SLUG",
  summary: "writes down how far a winner's launch is",
  flags: {
    state: { type: "string", value: ONBOARDING_STATES.join("|"), help: "its new state" },
    ...NOTE_FLAG,
    ...AS_FLAG,
  },
  example: "voting onboard reef-rally --state onboarding",
  async run({ flags, positionals }, terminal) {
    const slug = onlyOne(positionals, "slug");
    const to = ONBOARDING_STATES.find((state) => state === flags.state);
    if (to === undefined) throw new UsageError(`--state: expected ${ONBOARDING_STATES.join(", ")}`);
    const moved = await withStore((store) => moveTo(store, slug, to, flags.note, stampOf(flags)));
    terminal.say(`${slug} is ${to}`);
    terminal.answer({ ok: true, ...moved });
    return EXIT.ok;
  },
});

const list = defineSubcommand({
  path: "voting list",
  summary: "shows the candidates and how far they are",
  flags: { state: { type: "string", value: "STATE", help: `only those in it: ${CANDIDATE_STATES.join(", ")}` } },
  example: "voting list --state applied",
  async run({ flags, positionals }, terminal) {
    none(positionals);
    const state = CANDIDATE_STATES.find((known) => known === flags.state) ?? null;
    if (flags.state !== undefined && state === null)
      throw new UsageError(`--state: expected one of ${CANDIDATE_STATES.join(", ")}`);
    const rows = await withStore((store) => store.voting.listCandidates(state));
    const cells = rows.map((row) => [
      row.slug,
      row.state,
      String(row.cycleId ?? "–"),
      row.title,
      row.developer,
      row.note ?? "",
    ]);
    terminal.say(table(["slug", "state", "cycle", "title", "developer", "note"], cells, terminal.style));
    terminal.answer({ ok: true, candidates: rows });
    return EXIT.ok;
  },
});

export const VOTING_COMMANDS = [apply, review, onboard, list];
