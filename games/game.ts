/**
 * The contract of a game. A game is one folder of pure functions over a plain JSON state: no clock, no randomness
 * but the generator inside the state, integers or fixed point only. The same code runs in the server (authority),
 * in a browser (practice and drawing), in an agent (look-ahead) and in the verifier.
 *
 * Time: `step` produces tick `state.tick + 1`. An input `[tick, code]` of a replay is applied in the step that
 * produces `tick`. Pause, resume and exit never reach a game: the runner handles them, and the tick does not advance in a pause.
 */

/** A value that survives `JSON.parse(JSON.stringify(value))` unchanged. Numbers are safe integers. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What an entity means to a player; a client can steer by class only. */
export type EntityClass = "food" | "collectible" | "powerup" | "obstacle" | "gate";

/** An entity of a frame. World units, origin top left, x right, y down; x and y are the center, w and h full sizes. */
export interface Entity {
  readonly id: number;
  readonly kind: string;
  readonly class: EntityClass;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  /** World units per second, present where the entity moves by itself. */
  readonly vx?: number;
  readonly vy?: number;
  readonly [field: string]: Json | undefined;
}

/** The part of an authoritative frame that a game fills; the runner adds session, phase, time and spectators. */
export interface GameFrame {
  readonly tick: number;
  readonly score: number;
  readonly lives: number;
  readonly livesMax: number;
  readonly hunger: number;
  readonly hungerMax: number;
  readonly pawn: { readonly x: number; readonly y: number; readonly w: number; readonly h: number } & {
    readonly [field: string]: Json;
  };
  readonly entities: readonly Entity[];
  /** Fields that only this game has, spread into the top level of the frame. */
  readonly extra: { readonly [field: string]: Json };
}

/** Something that happened in the last step; sent to sockets as an `event` message and never skipped. */
export interface GameEvent {
  readonly event:
    | "spawned"
    | "collected"
    | "life_lost"
    | "starved"
    | "power_up"
    | "power_down"
    | "gate_passed"
    | "near_miss"
    | "streak"
    | (string & {});
  readonly [field: string]: Json;
}

/** Every state carries these; the rest is the game's own. All of it is plain JSON of integers, strings and lists. */
export interface GameState {
  tick: number;
  tickHz: number;
  lives: number;
  score: number;
  hunger: number;
  /** True once lives are 0; a step of an ended state changes nothing. */
  over: boolean;
  /** What the last step did, replaced (not appended) by each step. */
  events: GameEvent[];
}

/** A level of the game's NFT. */
export interface Tier {
  /** 1 is the first tier; ascending. */
  readonly tier: number;
  readonly name: string;
  /** The least score of a run that reaches it. */
  readonly minScore: number;
}

/** A message a player may send to steer, and the code a replay stores for it. */
export interface InputCode {
  readonly code: number;
  readonly message: { readonly t: "input"; readonly dir: string } | { readonly t: "action"; readonly action: string };
  /**
   * `held`: the latest one stays in force until another is sent (a direction).
   * `once`: acts in one tick only and is repeated by sending it again (a flap).
   * `idle`: accepted and never recorded (NOOP).
   */
  readonly mode: "held" | "once" | "idle";
}

/** What stands in a course: one entry for each `kind` that frames may hold. */
export interface EntityKind {
  readonly kind: string;
  readonly class: EntityClass;
  readonly w: number;
  readonly h: number;
  readonly description: string;
}

/** Steers only from frames, exactly as an outside agent does. Returns the message to send, or null to send nothing. */
export type Bot = (frame: PlayFrame) => InputCode["message"] | null;

/** The frame as it arrives over the play channel, in the `frame` of a `frame` message. */
export interface PlayFrame {
  readonly v: 1;
  readonly sessionId: string;
  readonly slug: string;
  readonly tick: number;
  readonly tMs: number;
  readonly phase: "ready" | "running" | "paused" | "ended";
  readonly score: { readonly current: number; readonly high: number };
  readonly lives: number;
  readonly livesMax: number;
  readonly hunger: number;
  readonly hungerMax: number;
  readonly pawn: GameFrame["pawn"];
  readonly entities: readonly Entity[];
  readonly spectators: { readonly current: number; readonly max: number };
  readonly ackSeq?: number;
  readonly skipped?: number;
  readonly [field: string]: unknown;
}

/** Whether a drawing shows lives, hunger and score itself, or leaves them to the page around it. */
export type StatusVisibility = "with_status" | "without_status";

/**
 * Draws one moment between two frames.
 * @param ctx canvas context whose transform maps world units onto the canvas
 * @param frame the newer frame
 * @param previous the frame before it, or null
 * @param alpha how far the moment is from `previous` (0) to `frame` (1)
 * @param status `with_status` by default
 */
export type FrameRenderer = (
  ctx: CanvasRenderingContext2D,
  frame: PlayFrame,
  previous: PlayFrame | null,
  alpha: number,
  status?: StatusVisibility,
) => void;

/** Choices for a picture that follow from the token, so that a token always has the same picture. */
export interface ArtRng {
  /** Returns an integer from 0 to `count - 1`. */
  nextInt(count: number): number;
  /** Returns a number between the two, in steps of a 255th. */
  nextBetween(from: number, to: number): number;
}

/**
 * Draws the scene of a game NFT in a square of 600 units, as strings of SVG: `defs` (gradients, with ids that no other scene has) and
 * `parts`. `tier` counts from 1; a later tier is drawn richer. `svg.ts` has the elements.
 */
export type NftArt = (input: { readonly tier: number; readonly rng: ArtRng }) => {
  readonly defs: string;
  readonly parts: string;
};

/** One number of an observation. It always lies from `low` to `high`. */
export interface ObservationField {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** What it means, with its unit. */
  readonly description: string;
}

/** A state as a list of numbers, for learners. It contains nothing that the frame of the same tick does not show. */
export interface Observation<State extends GameState = GameState> {
  readonly fields: readonly ObservationField[];
  /** Writes one number for each field, in their order, from `offset` on. */
  write(state: State, out: Float32Array, offset: number): void;
}

/** A game: what the catalog shows of it, its rules, its bots, and how it is drawn. */
export interface Game<State extends GameState = GameState> {
  /** At most 23 ASCII characters; part of paths, settings and the EIP-712 domain of its NFT. */
  readonly slug: string;
  /** Place among the games wherever they are listed, ascending; a new game takes the next number. */
  readonly order: number;
  readonly title: string;
  readonly description: string;
  /** Raised by every change that alters a replay; old versions stay runnable (`versions` in `index.ts`). */
  readonly rulesVersion: number;
  /** Ticks a second unless the operator sets another rate. */
  readonly tickHz: number;
  readonly livesMax: number;
  readonly hungerMax: number;
  /** The size of the picture in world units. */
  readonly world: { readonly width: number; readonly height: number };
  /** Every message that a player may send. */
  readonly inputs: readonly InputCode[];
  readonly kinds: readonly EntityKind[];
  /** Fields of `extra` with a sentence each, for the catalog and the instructions. */
  readonly extraFields: { readonly [field: string]: string };
  readonly nft: { readonly name: string; readonly symbol: string; readonly tiers: readonly Tier[] };
  /** The state at tick 0. `seed` is 32 bytes; the same seed and tick rate always give the same state. */
  init(seed: Uint8Array, tickHz: number): State;
  /** Advances by one tick in place and returns the same object. `codes`: this tick's input codes, in order. */
  step(state: State, codes: readonly number[]): State;
  /** What a player sees of the state, as a new object. The state is not changed. */
  frame(state: State): GameFrame;
  /**
   * The state behind a frame, as far as the frame shows it: it steps as the rules do, over the course in sight and an
   * empty one beyond it. With it `ahead` and planners run the rules. Throws `RangeError` for a frame without what it needs.
   */
  resume?(frame: PlayFrame): State;
  /** Each call makes a bot for one run. */
  readonly bots: {
    /** The bot that the documented figures are measured with. */
    readonly reference: () => Bot;
    /** Sends random moves; the same ones for the same seed. */
    readonly random: (seed: number) => Bot;
    /** Plays like the reference for `playMs` of game time (8,000 when left out), then lets itself lose soon. */
    readonly quick?: (playMs?: number) => Bot;
    /** Plays much better than the reference: searches the next 2 s with the rules. */
    readonly better?: () => Bot;
  };
  /** For learners; a game without one cannot be trained on by numbers. */
  readonly observation?: Observation<State>;
  /** How the viewer shows it; without one the viewer draws boxes, colored by class. */
  readonly draw?: FrameRenderer;
  /** The scene on its NFT; a game without one gets its initial. */
  readonly nftArt?: NftArt;
}

/** Codes of runtime commands in a replay; the runner's, the same for every game. */
export const COMMAND_CODES = { pause: 10, resume: 11, exit: 12 } as const;
