import { randomBytes } from "node:crypto";
import type { Address } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { PolicyFault } from "../../../domain/league/policy-fault.ts";
import { checkPolicyText } from "../../../domain/league/policy-text.ts";
import { computeTextDigest } from "../../../domain/league/round.ts";
import { LEAGUE_LIMITS } from "../../../domain/limits/limits.ts";
import { computeSeedCommitment } from "../../../domain/replay/seed.ts";
import { HOUR_MS, toIso } from "../../../domain/time.ts";
import type { PolicyRunner } from "../../ports/policies.ts";
import type { LeagueStore, NewSeason, PolicyRow, SeasonRow } from "../../ports/store/league.ts";
import type { Clock } from "../../ports/system.ts";
import type { Identity } from "../identity/identity.ts";

interface LeaguePorts {
  readonly store: LeagueStore;
  readonly identity: Pick<Identity, "requireIdentity">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly runner: Pick<PolicyRunner, "check">;
  /** 0: there is no league. */
  readonly seasonHours: number;
}

/** Played seasons that the state of a league lists. */
const PLAYED_MAX = 50;
/** Thinkers that it lists; the file of a round has all. */
const THINKERS_MAX = 25;

/** A season that opens now, with a random seed, secret until its round is played. */
export const createSeason = (slug: string, nowMs: number, seasonHours: number): NewSeason => ({
  slug,
  opensAtMs: nowMs,
  closesAtMs: nowMs + seasonHours * HOUR_MS,
  serverSeed: `0x${randomBytes(32).toString("hex")}`,
});

const toPolicyView = ({ season, digest, bytes, submittedAtMs }: PolicyRow, { closesAtMs }: SeasonRow) => ({
  season,
  digest,
  bytes,
  submittedAt: toIso(submittedAtMs),
  closesAt: toIso(closesAtMs),
});

function toPolicyError({ kind, message, line, column }: PolicyFault): ArcadeError {
  const place = line === null ? "" : `line ${line}, column ${column}: `;
  const text = `The policy was rejected: ${place}${message.replace(/\.$/, "")}.`;
  return new ArcadeError("POLICY_INVALID", text, { reason: kind, line, column });
}

export const createClosedError = ({ slug, season, closesAtMs }: SeasonRow): ArcadeError =>
  new ArcadeError(
    "SEASON_CLOSED",
    `Season ${season} of ${slug} closed at ${toIso(closesAtMs)}; take part in the next one, which opens after the round.`,
  );

/** The public side of the league: its seasons and rounds, and the policies that wallets submit. */
export class League {
  readonly #ports: LeaguePorts;

  constructor(ports: LeaguePorts) {
    this.#ports = ports;
  }

  get isOn(): boolean {
    return this.#ports.seasonHours > 0;
  }

  /** The current season of a game, and the seasons that were played. Throws `LEAGUE_OFF`. */
  async getState(slug: string) {
    const { store, clock } = this.#ports;
    const season = await this.requireSeason(slug);
    const [policies, played] = [await store.countPolicies(season), await store.listPlayed(slug, PLAYED_MAX)];
    const thinkers = await store.listThinkers(season, THINKERS_MAX);
    const isOpen = season.policiesDigest === null && clock.nowMs() < season.closesAtMs;
    return {
      slug,
      season: season.season,
      opensAt: toIso(season.opensAtMs),
      closesAt: toIso(season.closesAtMs),
      state: isOpen ? ("open" as const) : ("playing" as const),
      commitment: computeSeedCommitment(season.serverSeed),
      policies,
      policiesDigest: season.policiesDigest,
      thinkers,
      played: played.map((row) => ({
        season: row.season,
        closesAt: toIso(row.closesAtMs),
        policies: row.policies!,
        courses: row.courses!,
        winner: row.winner,
      })),
    };
  }

  /** gzip of the file of a round that was played. Throws `LEAGUE_OFF` or `ROUND_NOT_FOUND`. */
  async getRound(slug: string, season: string): Promise<Uint8Array> {
    this.#requireOn();
    const number = /^[1-9]\d{0,8}$/.test(season) ? Number(season) : null;
    const file = number === null ? null : await this.#ports.store.findRound({ slug, season: number });
    if (file !== null) return file;
    const message = `Expected a season of ${slug} whose round was played, received "${season.slice(0, 40)}"; GET /api/league/${slug} lists them.`;
    throw new ArcadeError("ROUND_NOT_FOUND", message);
  }

  /**
   * Takes a policy for the current season. Throws `LEAGUE_OFF`, `IDENTITY_REQUIRED`, `POLICY_INVALID`, `SEASON_CLOSED`
   * or `RATE_LIMITED`.
   */
  async submit({ slug, wallet, text }: { readonly slug: string; readonly wallet: Address; readonly text: string }) {
    const { store, clock, identity, runner } = this.#ports;
    const season = await this.requireSeason(slug);
    if (clock.nowMs() >= season.closesAtMs) throw createClosedError(season);
    const agentId = await identity.requireIdentity(wallet);
    try {
      checkPolicyText(text);
      await runner.check(text);
    } catch (error) {
      throw error instanceof PolicyFault ? toPolicyError(error) : error;
    }
    const policy: PolicyRow = {
      slug,
      season: season.season,
      wallet,
      agentId,
      text,
      digest: computeTextDigest(text),
      bytes: Buffer.byteLength(text),
      submittedAtMs: clock.nowMs(),
    };
    const { policiesPerSeason } = LEAGUE_LIMITS;
    const outcome = await store.submit(policy, policiesPerSeason);
    if (outcome === "closed") throw createClosedError(season);
    if (outcome === "full") {
      const message = `Season ${season.season} of ${slug} has the maximum of ${policiesPerSeason} policies; the next season opens after ${toIso(season.closesAtMs)}.`;
      throw new ArcadeError("SEASON_CLOSED", message);
    }
    return toPolicyView(policy, season);
  }

  /** The wallet's policy of the current season; null if it has none. Throws `LEAGUE_OFF`. */
  async findOwn(slug: string, wallet: Address) {
    const season = await this.requireSeason(slug);
    const policy = await this.#ports.store.findPolicy(season, wallet);
    return policy === null ? null : { ...toPolicyView(policy, season), text: policy.text };
  }

  /** The current season; the first one of a game opens with the first question for it. Throws `LEAGUE_OFF`. */
  async requireSeason(slug: string): Promise<SeasonRow> {
    this.#requireOn();
    const { store, clock, seasonHours } = this.#ports;
    const current = await store.findCurrent(slug);
    if (current !== null) return current;
    await store.openFirst(createSeason(slug, clock.nowMs(), seasonHours));
    return (await store.findCurrent(slug))!;
  }

  #requireOn(): void {
    if (this.isOn) return;
    throw new ArcadeError("LEAGUE_OFF", "This service has no league; npm run league plays a round on your machine.");
  }
}
