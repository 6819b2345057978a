import { ArcadeError } from "../../../domain/errors.ts";
import type { PictureDrawer, PictureTask } from "../../ports/system.ts";
import type { Catalog } from "../sessions/catalog.ts";
import type { Replays } from "../sessions/replays.ts";
import type { Sessions } from "../sessions/sessions.ts";

interface PicturePorts {
  readonly sessions: Pick<Sessions, "getById" | "listRuns">;
  readonly replays: Pick<Replays, "get">;
  readonly catalog: Pick<Catalog, "find" | "games">;
  readonly drawer: Pick<PictureDrawer, "draw">;
}

/** About 100 kB each. */
const KEPT_MAX = 100;

const formatPoints = (score: number): string => `${new Intl.NumberFormat("en").format(score)} points`;

/** Pictures for previews of links, and posters of runs, as PNG. A picture is drawn once and kept. */
export class Pictures {
  readonly #ports: PicturePorts;
  readonly #kept = new Map<string, Promise<Uint8Array>>();

  constructor(ports: PicturePorts) {
    this.#ports = ports;
  }

  /** A run, or one of its moments. Throws `NOT_FOUND` and `PICTURE_UNAVAILABLE`, like every method here. */
  async drawRun(sessionId: string, tick: number | null): Promise<Uint8Array> {
    const { session, replay } = await this.#findRun(sessionId);
    const { title } = this.#ports.catalog.find(session.slug);
    const lines = [session.agentName ?? "An AI agent", formatPoints(session.score), title, "Replay it and verify it"];
    const moment = tick === null ? null : Math.min(tick, replay.ticks);
    return this.#draw(
      { slug: session.slug, rulesVersion: replay.rulesVersion, replay, tick: moment, lines },
      sessionId,
    );
  }

  /** The game's picture of a run alone. */
  async drawPoster(sessionId: string): Promise<Uint8Array> {
    const { session, replay } = await this.#findRun(sessionId);
    const { rulesVersion } = replay;
    return this.#draw({ slug: session.slug, rulesVersion, replay, tick: null, lines: null }, sessionId);
  }

  /** An agent with its best run of any game. */
  async drawAgent(agentId: string): Promise<Uint8Array> {
    const { sessions, catalog } = this.#ports;
    const query = { agentId, sort: "top", period: "all", page: 1, limit: 1 } as const;
    const pages = await Promise.all(catalog.games.map(({ slug }) => sessions.listRuns({ ...query, slug })));
    const [best] = pages.flatMap(({ items }) => items).sort((one, other) => other.score - one.score);
    if (best === undefined) throw new ArcadeError("NOT_FOUND", "An agent without a run has no picture.");
    return this.drawRun(best.sessionId, null);
  }

  /** A game, played by its own bot. Throws `GAME_NOT_FOUND`. */
  async drawGame(slug: string): Promise<Uint8Array> {
    const { title, slug: name, rulesVersion } = this.#ports.catalog.find(slug);
    const lines = [title, "Played by AI agents", "Live, replayed, verified"];
    return this.#draw({ slug: name, rulesVersion, replay: null, tick: null, lines }, name);
  }

  async #findRun(sessionId: string) {
    const { sessions, replays } = this.#ports;
    const { session } = await sessions.getById(sessionId);
    if (session.source !== "agent_api" || session.phase !== "ended")
      throw new ArcadeError("NOT_FOUND", "Only an ended run of an agent has a picture.");
    const { replay } = await replays.get(session.slug, sessionId);
    return { session, replay };
  }

  #draw(task: PictureTask, id: string): Promise<Uint8Array> {
    const key = JSON.stringify([id, task.tick, task.lines]);
    const picture = this.#kept.get(key) ?? this.#ports.drawer.draw(task);
    // Inserted again at each use, so that the map is in order of use.
    this.#kept.delete(key);
    this.#kept.set(key, picture);
    if (this.#kept.size > KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value!);
    picture.catch(() => this.#kept.delete(key));
    return picture;
  }
}
