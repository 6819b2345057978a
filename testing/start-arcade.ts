/** `startArcade`: a whole stack for other programs' tests. */
import { fileURLToPath } from "node:url";
import { type Arcade, Courses, RunningArcade } from "./arcade.ts";
import { ArcadeClock } from "./clock.ts";
import { requireInteger, requireNode, requireOneOf, TestingError } from "./errors.ts";
import { copyStage } from "./images.ts";
import { startTestStack } from "./stack.ts";
import { STAGES, type Stage } from "./stages.ts";
import { createTempFolder } from "./temp-folder.ts";

export interface ArcadeOptions {
  /** The stage to start from; `deployed` by default. */
  readonly at?: Stage;
  /** Decides every random value: the courses of the sessions, the ids and tokens of the stage. 1 by default. */
  readonly seed?: number;
  /** Must be 1: several backends need PostgreSQL and NATS, see `npm run fleet`. */
  readonly backends?: 1;
  /** Ports of service and chain; free ones by default. */
  readonly port?: number;
  readonly rpcPort?: number;
  /** True: ticks wait for the bot, so that a game takes only as long as its bot thinks. */
  readonly fastSessions?: boolean;
  /** Whether to serve the site. */
  readonly site?: boolean;
  /** Further settings of the service, as in docs/config.md. */
  readonly env?: { readonly [name: string]: string };
}

/** In the package; in the repository `npm run build` creates it. */
const SITE = fileURLToPath(new URL("../web/dist", import.meta.url));
const SEED_MAX = 2 ** 32 - 1;
const PORT_MAX = 65_535;
/** Stacks announce changes of the chain; this interval is for changes by an outside node. */
const POLL_MS = 1_000;

function checkOptions({ at = "deployed", seed = 1, backends = 1, port = 0, rpcPort = 0 }: ArcadeOptions) {
  if (backends !== 1)
    throw new TestingError(
      "INVALID_OPTION",
      `backends: expected 1 (several need PostgreSQL and NATS: npm run fleet in a clone); received ${backends}`,
    );
  return {
    stage: requireOneOf("UNKNOWN_STAGE", "at", STAGES, at),
    seed: requireInteger("seed", seed, 0, SEED_MAX),
    port: requireInteger("port", port, 0, PORT_MAX),
    rpcPort: requireInteger("rpcPort", rpcPort, 0, PORT_MAX),
  };
}

/** Starts chain, contracts, store and service in this process. Throws `TestingError` for wrong options and busy ports. */
export async function startArcade(options: ArcadeOptions = {}): Promise<Arcade> {
  requireNode(process.versions.node);
  const { stage, seed, port, rpcPort } = checkOptions(options);
  const folder = await createTempFolder();
  try {
    const credentials = await copyStage(folder.path, stage, seed);
    const clock = new ArcadeClock();
    const courses = new Courses(seed);
    const stack = await startTestStack({
      dataDir: folder.path,
      clock,
      testSessions: { drawSeed: courses.draw, isLockstep: options.fastSessions === true },
      isDeployed: true,
      pollMs: POLL_MS,
      ...(options.site === true ? { webDir: SITE } : {}),
      env: { ARCADE_PORT: String(port), ARCADE_RPC_PORT: String(rpcPort), ...options.env },
    });
    const close = async (): Promise<void> => {
      await stack.close();
      await folder.remove();
    };
    const arcade = new RunningArcade({ stack, clock, courses, seed, close });
    if (credentials !== null) arcade.client.signIn.restore(credentials);
    await arcade.keepStage();
    return arcade;
  } catch (error) {
    await folder.remove();
    const message = error instanceof Error ? error.message : String(error);
    if (/\bbusy\b/.test(message)) throw new TestingError("PORT_IN_USE", message, error);
    throw error;
  }
}
