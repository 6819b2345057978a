/** A request of an agent to a backend of its life, over a network that may lose the answer. */
import { ArcadeError } from "../../../backend/domain/errors.ts";
import { runAs, type SimulatedProcess } from "../world/event-loop.ts";
import type { SimulatedBackend } from "./backend.ts";
import type { Running } from "./backends.ts";
import { NoAnswer } from "./no-answer.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

/** How long an agent waits for an answer; longer than any wait that the service promises to end. */
const ANSWER_WITHIN_MS = 30_000;
const ARRIVAL_MS = 0.001;

/** `onAnswer` is called when the service answers, whether or not the answer arrives. */
export async function request<T>(
  world: World,
  name: string,
  work: (backend: SimulatedBackend) => Promise<T>,
  onAnswer: (answer: T) => void = () => undefined,
): Promise<T> {
  const { network } = world.randoms;
  await world.loop.sleep(network.between(1, 20));
  const { running } = world.backends;
  if (running.length === 0) throw new NoAnswer("there is no backend");
  const { backend, ended } = running.length === 1 ? running[0]! : network.pick(running);
  world.openRequests += 1;
  const late = waitForAnswer(world, name, backend.process);
  try {
    const answer = await Promise.race([deliver(world, backend, work), ended, late.promise]);
    late.stop();
    onAnswer(answer);
    world.note(`${name}: answered`);
    await world.loop.sleep(network.between(1, 20));
    if (world.isActive("answers lost") && network.chance(0.5)) throw new NoAnswer(`the answer to ${name} was lost`);
    return answer;
  } catch (error) {
    late.stop();
    if (world.isHarsh && !(error instanceof ArcadeError || error instanceof NoAnswer))
      world.fail(new Violation("errors are those of the interface", `${name}: ${String(error)}`));
    const { code = (error as Error).message } = error as { readonly code?: string };
    world.note(`${name}: ${code}`);
    throw error;
  } finally {
    world.openRequests -= 1;
  }
}

/** In harsh lives a request waits for a process that is stopped. */
async function deliver<T>(
  { loop, isHarsh }: World,
  backend: Running["backend"],
  work: (backend: SimulatedBackend) => Promise<T>,
): Promise<T> {
  if (isHarsh) await runAs(backend.process, () => loop.sleep(ARRIVAL_MS));
  return await work(backend);
}

/** Rejects when an answer is late, which breaks an invariant where the process was neither stopped nor ended. */
function waitForAnswer(world: World, name: string, process: SimulatedProcess) {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const timer = world.loop.schedule(ANSWER_WITHIN_MS, () => {
    const wasPaused = process.pausedUntilMs > world.loop.nowMs - ANSWER_WITHIN_MS;
    if (process.isAlive && !wasPaused) world.fail(new Violation("every wait ends", `no answer to ${name}`));
    reject(new NoAnswer(`no answer to ${name}`));
  });
  const stop = (): void => {
    timer.isCancelled = true;
  };
  return { promise, stop };
}
