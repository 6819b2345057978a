/**
 * A small policy for flappybots: where to fly and when to flap, with trained numbers, and a look one second ahead that
 * avoids pipes. It sees what the environment's observation has (`view.ts`).
 */
import type { View } from "./view.ts";

/** The trained numbers, each with its initial value and spread. */
export const PARAMETERS = [
  { name: "flapBelow", mean: 32, deviation: 12, meaning: "flap this far below the aim" },
  { name: "lookAheadSeconds", mean: 0.05, deviation: 0.04, meaning: "how far ahead to predict the bot's own fall" },
  { name: "riseMax", mean: 200, deviation: 80, meaning: "no flap while rising faster, in units per second" },
  { name: "leaveGateAt", mean: -30, deviation: 15, meaning: "distance of a gate at which to aim for the next one" },
  { name: "gateLead", mean: 0.5, deviation: 0.4, meaning: "how much of a gate's motion to predict" },
  { name: "hungerFrom", mean: 200, deviation: 150, meaning: "hunger above which a battery is worth a wider detour" },
  { name: "fallSpeed", mean: 150, deviation: 60, meaning: "maximum units per second down for a detour" },
  { name: "climbSpeed", mean: 150, deviation: 60, meaning: "maximum units per second up for a detour" },
  { name: "detourSlack", mean: 0, deviation: 20, meaning: "units added to both" },
  { name: "gearShare", mean: 0.8, deviation: 0.3, meaning: "share of these for a gear" },
  { name: "nextGatePull", mean: 0.1, deviation: 0.1, meaning: "how much the gate after the next one bends the way" },
] as const;

/** The values of `PARAMETERS`, in their order. */
export type Numbers = ArrayLike<number>;

const TICK_SECONDS = 0.05;
const GRAVITY = 1400;
const FLAP_SPEED = 420;
const FALL_SPEED_MAX = 600;
const GROUND = 480;
/** Half the bot and half a pipe along the way, half the bot across. */
const REACH_X = 50;
const REACH_Y = 14;
const PLAN_TICKS = 26;
/** How much wider a hungry bot's detour may be. */
const HUNGRY_SHARE = 1.3;

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

/** `seeksItems`: whether to leave the path to the gate for batteries and gears. */
function chooseAim(view: View, numbers: Numbers, seeksItems: boolean): number {
  const center = (view.gate1TopY + view.gate1BottomY) / 2;
  const next = view.gate2Ahead === Number.POSITIVE_INFINITY ? center : (view.gate2TopY + view.gate2BottomY) / 2;
  const isBehind = view.gate1Ahead < numbers[3]!;
  const lead = (numbers[4]! * view.gate1VelocityY * Math.max(0, view.gate1Ahead)) / view.speed;
  const pull = numbers[10]! * clamp(next - center, -100, 100);
  const gateY = isBehind ? next : center + clamp(lead, -60, 60) + pull;
  if (!seeksItems) return gateY;
  const gateAhead = isBehind ? view.gate2Ahead : view.gate1Ahead;
  const canDetour = (itemAhead: number, itemY: number, share: number): boolean => {
    const seconds = (gateAhead - REACH_X - Math.max(0, itemAhead)) / view.speed;
    const speed = itemY > gateY ? numbers[7]! : numbers[6]!;
    return itemAhead < gateAhead && Math.abs(itemY - gateY) < share * (speed * seconds + numbers[8]!);
  };
  const share = view.hunger > numbers[5]! ? HUNGRY_SHARE : 1;
  if (canDetour(view.batteryAhead, view.batteryY, share)) return view.batteryY;
  if (canDetour(view.gearAhead, view.gearY, numbers[9]!)) return view.gearY;
  return gateY;
}

/** Flaps if falling further would miss the aim. */
function wantsFlap(view: View, numbers: Numbers, seeksItems: boolean): boolean {
  if (view.velocityY < -numbers[2]!) return false;
  return view.y + view.velocityY * numbers[1]! > chooseAim(view, numbers, seeksItems) + numbers[0]!;
}

/** One tick of the game, as far as a view shows it. Returns false if the bot hits something. */
function advance(view: View, flap: boolean): boolean {
  const velocity = flap ? -FLAP_SPEED : view.velocityY;
  view.velocityY = Math.min(velocity + GRAVITY * TICK_SECONDS, FALL_SPEED_MAX);
  view.y += ((velocity + view.velocityY) / 2) * TICK_SECONDS;
  const units = view.speed * TICK_SECONDS;
  view.gate1Ahead -= units;
  view.gate2Ahead -= units;
  view.batteryAhead -= units;
  view.gearAhead -= units;
  view.gate1TopY += view.gate1VelocityY * TICK_SECONDS;
  view.gate1BottomY += view.gate1VelocityY * TICK_SECONDS;
  view.gate2TopY += view.gate2VelocityY * TICK_SECONDS;
  view.gate2BottomY += view.gate2VelocityY * TICK_SECONDS;
  if (view.gate1Ahead <= -REACH_X) {
    view.gate1Ahead = view.gate2Ahead;
    view.gate1TopY = view.gate2TopY;
    view.gate1BottomY = view.gate2BottomY;
    view.gate1VelocityY = view.gate2VelocityY;
    view.gate2Ahead = Number.POSITIVE_INFINITY;
  }
  if (view.batteryAhead < -REACH_X) view.batteryAhead = Number.POSITIVE_INFINITY;
  if (view.gearAhead < -REACH_X) view.gearAhead = Number.POSITIVE_INFINITY;
  if (view.y < REACH_Y || view.y > GROUND - REACH_Y) return false;
  if (Math.abs(view.gate1Ahead) >= REACH_X) return true;
  return view.y - REACH_Y > view.gate1TopY && view.y + REACH_Y < view.gate1BottomY;
}

const scratch = {} as View;

/** Ticks until the bot hits something after this move, at most `PLAN_TICKS`. */
function countSafeTicks(view: View, first: boolean, numbers: Numbers, seeksItems: boolean): number {
  Object.assign(scratch, view);
  for (let tick = 0; tick < PLAN_TICKS; tick++)
    if (!advance(scratch, tick === 0 ? first : wantsFlap(scratch, numbers, seeksItems))) return tick;
  return PLAN_TICKS;
}

/**
 * Whether to flap now: toward its aim if that is safe, otherwise straight to the gate, otherwise the move that survives
 * longest.
 */
export function shouldFlap(view: View, numbers: Numbers): boolean {
  let best = false;
  let bestTicks = -1;
  for (const seeksItems of [true, false]) {
    const wanted = wantsFlap(view, numbers, seeksItems);
    for (const move of [wanted, !wanted]) {
      const ticks = countSafeTicks(view, move, numbers, seeksItems);
      if (ticks === PLAN_TICKS) return move;
      if (ticks > bestTicks) [best, bestTicks] = [move, ticks];
    }
  }
  return best;
}
