/** An agent's requests to the backends of its run, over a network that may lose the answer. */
import type { Answer, Input, RouteName } from "../../../client/api.ts";
import { ArcadeApiError } from "../../../client/errors.ts";
import { createRequestSender } from "../../../client/http.ts";
import { ROUTES } from "../../../client/routes.generated.ts";
import type { SimulatedProcess } from "../world/event-loop.ts";
import type { SimulatedBackend } from "./backend.ts";
import { mark } from "./coverage.ts";
import { HttpClient } from "./http-client.ts";
import { NoAnswer } from "./no-answer.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

/** How long an agent waits for an answer: longer than any bounded wait of the service. */
const ANSWER_WITHIN_MS = 30_000;
/** Like the client, repeats a rate-limited request at the time that the service states. */
const LIMITED_ATTEMPTS = 4;
/** Errors that the service must never return, whatever happens. */
const NO_ANSWERS: readonly string[] = ["INTERNAL", "BAD_ANSWER"];

export interface RequestOptions<T> {
  readonly token?: string;
  readonly idempotencyKey?: string;
  /** Called when the answer leaves the service, whether or not it arrives. */
  readonly onAnswer?: ((answer: T) => void) | undefined;
}

/** The routes of the service, as the client calls them. */
export class Requests {
  readonly #world: World;
  readonly #http: HttpClient;
  readonly #agent: string;
  /** The latest block that a backend of a fleet has returned. */
  #seenBlock = 0;

  /** `address`: the agent's IP address. */
  constructor(world: World, address: string) {
    this.#world = world;
    this.#http = new HttpClient(address);
    this.#agent = `agent ${address}`;
  }

  /** Throws `ArcadeApiError` if the service rejects it, `NoAnswer` if no answer comes. */
  async ask<Name extends RouteName>(
    name: Name,
    input: Input<Name>,
    options: RequestOptions<Answer<Name>> = {},
  ): Promise<Answer<Name>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#ask(name, input, options);
      } catch (error) {
        const isLimited = error instanceof ArcadeApiError && error.code === "RATE_LIMITED";
        if (!isLimited || attempt === LIMITED_ATTEMPTS) throw error;
        await this.#world.loop.sleep((error.retryAfterSeconds ?? 1) * 1_000);
      }
    }
  }

  async #ask<Name extends RouteName>(
    name: Name,
    input: Input<Name>,
    { token, idempotencyKey, onAnswer = () => undefined }: RequestOptions<Answer<Name>>,
  ): Promise<Answer<Name>> {
    const world = this.#world;
    const { network } = world.randoms;
    await world.loop.sleep(network.between(1, 20));
    const { backend, ended } = world.backends.pick(network);
    const onBlock = (block: number): void => {
      if (world.kind.isFleet) this.#seenBlock = Math.max(this.#seenBlock, block);
    };
    const send = createRequestSender(world.fixtures.config.publicUrl!, this.#http.createFetch(backend), onBlock);
    world.openRequests += 1;
    const number = world.requests++;
    if (name === "rewards.payout") world.openPayouts.add(number);
    const late = waitForAnswer(world, name, backend.process);
    const tell = world.histories.begin(this.#agent, name, input, idempotencyKey);
    try {
      const sent = send({
        ...{ route: ROUTES[name], input: input as { readonly [field: string]: unknown } },
        ...{ token: token ?? null, idempotencyKey: idempotencyKey ?? null, minBlock: this.#seenBlock },
      }) as Promise<Answer<Name>>;
      const answer = await Promise.race([sent, ended, late.promise]);
      late.stop();
      mark("check", "a read after an acknowledged write shows it");
      onAnswer(answer);
      tell({ answer });
      world.note(`${name}: answered`, this.#agent);
      world.backends.moments.afterAnswer(backend.process);
      await world.loop.sleep(network.between(1, 20));
      if (world.isActive("answers lost") && network.chance(0.5)) {
        mark("fault", "answers lost");
        throw new NoAnswer(`the answer to ${name} was lost`);
      }
      return answer;
    } catch (error) {
      late.stop();
      tell({ error });
      const { code = (error as Error).message } = error as { readonly code?: string };
      const isOfInterface =
        error instanceof NoAnswer || (error instanceof ArcadeApiError && !NO_ANSWERS.includes(code));
      mark("check", "errors are those of the interface");
      // Agents only request what was acknowledged.
      if (code.endsWith("_NOT_FOUND"))
        world.fail(new Violation("a read after an acknowledged write shows it", `${name}: ${code}`));
      if (!isOfInterface) world.fail(new Violation("errors are those of the interface", `${name}: ${String(error)}`));
      world.note(`${name}: ${code}`, this.#agent);
      throw error;
    } finally {
      world.openRequests -= 1;
      world.openPayouts.delete(number);
    }
  }

  /** The backend that a new socket of the agent reaches. */
  pickBackend(): SimulatedBackend {
    return this.#world.backends.pick(this.#world.randoms.network).backend;
  }
}

/** Rejects if an answer is late. That violates an invariant unless the process was suspended or ended. */
function waitForAnswer(world: World, name: string, process: SimulatedProcess) {
  mark("check", "every wait ends");
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
