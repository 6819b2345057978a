/** Opens the stack of `startArcade`, from its checked options. */
import { fileURLToPath } from "node:url";
import { type Arcade, Courses, RunningArcade } from "./arcade.ts";
import { ArcadeClock } from "./clock.ts";
import { TestingError } from "./errors.ts";
import { copyStage } from "./images.ts";
import type { ArcadeOptions } from "./options.ts";
import { startTestStack } from "./stack.ts";
import { createTempFolder } from "./temp-folder.ts";

/** In the package; in the repository `npm run build` creates it. */
const SITE = fileURLToPath(new URL("../web/dist", import.meta.url));
/** Stacks announce changes of the chain; this interval is for changes by an outside node. */
const POLL_MS = "1000";

/** The options with their defaults. */
type CheckedOptions = ArcadeOptions & Required<Pick<ArcadeOptions, "at" | "seed" | "port" | "rpcPort">>;

export async function openArcade(options: CheckedOptions): Promise<Arcade> {
  const { at, seed, port, rpcPort } = options;
  const folder = await createTempFolder();
  try {
    const credentials = await copyStage(folder.path, at, seed);
    const clock = new ArcadeClock();
    const courses = new Courses(seed);
    const stack = await startTestStack({
      dataDir: folder.path,
      clock,
      testSessions: { drawSeed: courses.draw, isLockstep: options.fastSessions === true },
      isDeployed: true,
      ...(options.site === true ? { webDir: SITE } : {}),
      env: {
        ARCADE_PORT: String(port),
        ARCADE_RPC_PORT: String(rpcPort),
        ARCADE_CHAIN_POLL_MS: POLL_MS,
        ...options.env,
      },
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
