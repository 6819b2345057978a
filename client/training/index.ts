/** Training without a server: environments over the games' own rules. For Node and browsers. */
export type { InputCode, ObservationField } from "../../games/game.ts";
export { type Env, type EnvInfo, type EnvOptions, makeEnv, type Seed, type StepResult } from "./env.ts";
export { makeVectorEnv, type VectorEnv, type VectorStepResult } from "./vector-env.ts";
