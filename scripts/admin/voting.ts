/** Candidates: apply, review, onboard, list. */

import type { AuditStamp } from "../../backend/ports/store/admin.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import type { CandidateRow } from "../../backend/ports/store/voting.ts";
import {
  CANDIDATE_STATES,
  CANDIDATE_TRANSITIONS,
  type CandidateState,
  createApplicationSchema,
  ONBOARDING_STATES,
} from "../../domain/voting.ts";
import { games } from "../../games/index.ts";
import { defineCommand } from "../cli/command.ts";
import { CommandError, UsageError } from "../cli/failures.ts";
import { formatTable } from "../cli/style.ts";
import { AS_FLAG, createAuditStamp, withStore } from "./context.ts";

const NOTE_FLAG = {
  note: { type: "string", value: "TEXT", help: "recorded with the candidate and in the audit" },
} as const;

async function setCandidateState(
  store: Store,
  slug: string,
  to: keyof typeof CANDIDATE_TRANSITIONS,
  note: string | undefined,
  stamp: AuditStamp,
): Promise<CandidateRow> {
  const from: readonly CandidateState[] = CANDIDATE_TRANSITIONS[to];
  const moved = await store.voting.moveCandidate(slug, { from, to, note: note ?? null }, stamp);
  if (moved !== null) return moved;
  const found = await store.voting.findCandidate(slug);
  if (found === null)
    throw new CommandError(`There is no candidate "${slug}".`, {
      next: "npm run admin -- voting list",
    });
  throw new CommandError(`Only a candidate that is ${from.join(" or ")} can become ${to}; ${slug} is ${found.state}.`);
}

const apply = defineCommand({
  name: "voting apply",
  summary: "records a developer's application",
  flags: {
    slug: { type: "string", value: "SLUG", help: "the game's slug: lower-case words with hyphens" },
    title: { type: "string", value: "TEXT", help: "the game's name" },
    developer: { type: "string", value: "TEXT", help: "its developer" },
    url: { type: "string", value: "URL", help: "its page (https)" },
    ...AS_FLAG,
  },
  examples: [
    'npm run admin -- voting apply --slug reef-rally --title "Reef Rally" --developer "Coral Games" --url https://example.org',
  ],
  async run({ flags }, terminal) {
    const { slug, title, developer, url } = flags;
    const form = createApplicationSchema(games.map((game) => game.slug)).safeParse({ slug, title, developer, url });
    if (!form.success)
      throw new UsageError(form.error.issues.map(({ path, message }) => `--${path.join(".")}: ${message}`).join("; "));
    const candidate = form.data;
    if (!(await withStore((store) => store.voting.addCandidate(candidate, createAuditStamp(flags)))))
      throw new CommandError(`The slug "${candidate.slug}" has applied before; a game can apply only once.`);
    terminal.print(`${candidate.slug} has applied`);
    return { ...candidate, state: "applied" };
  },
});

const review = defineCommand({
  name: "voting review",
  args: { slug: { help: "the candidate's slug" } },
  summary: "approves or rejects an application (technical, product, safety)",
  flags: {
    approve: { type: "boolean", help: "allow votes on it" },
    reject: { type: "boolean", help: "allow no votes on it" },
    ...NOTE_FLAG,
    ...AS_FLAG,
  },
  examples: ['npm run admin -- voting review reef-rally --approve --note "runs at 30 Hz"'],
  async run({ flags, args }, terminal) {
    const { slug } = args;
    if (flags.approve === flags.reject) throw new UsageError("Expected either --approve or --reject");
    const to = flags.approve ? "approved" : "rejected";
    const moved = await withStore((store) => setCandidateState(store, slug, to, flags.note, createAuditStamp(flags)));
    terminal.print(`${slug} is ${to}`);
    return { ...moved };
  },
});

const onboard = defineCommand({
  name: "voting onboard",
  args: { slug: { help: "the candidate's slug" } },
  summary: "records the launch state of a winner",
  flags: {
    state: { type: "string", value: ONBOARDING_STATES.join("|"), help: "its new state" },
    ...NOTE_FLAG,
    ...AS_FLAG,
  },
  examples: ["npm run admin -- voting onboard reef-rally --state onboarding"],
  async run({ flags, args }, terminal) {
    const { slug } = args;
    const to = ONBOARDING_STATES.find((state) => state === flags.state);
    if (to === undefined) throw new UsageError(`--state: expected ${ONBOARDING_STATES.join(", ")}`);
    const moved = await withStore((store) => setCandidateState(store, slug, to, flags.note, createAuditStamp(flags)));
    terminal.print(`${slug} is ${to}`);
    return { ...moved };
  },
});

const list = defineCommand({
  name: "voting list",
  summary: "shows the candidates and their states",
  flags: {
    state: { type: "string", value: "STATE", help: `only candidates in this state: ${CANDIDATE_STATES.join(", ")}` },
  },
  examples: ["npm run admin -- voting list --state applied"],
  async run({ flags }, terminal) {
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
    terminal.print(formatTable(["slug", "state", "cycle", "title", "developer", "note"], cells, terminal.style));
    return { candidates: rows };
  },
});

export const VOTING_COMMANDS = [apply, review, onboard, list];
