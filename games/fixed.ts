/**
 * Fixed-point measures shared by the games. All of them are integers, so a run is the same on every platform.
 *
 * Time is counted in beats of 1/60 s, velocities in 1/60 world unit per second, positions in 1/7200 world unit. With
 * these scales a constant acceleration gives exactly the same path at every supported tick rate: in one tick of
 * `k = 60 / tickHz` beats a velocity changes by `acceleration * k` and a position by `(v0 + v1) * k`.
 */

/** Beats in a second; the resolution of every duration in a state. */
export const BEATS_PER_SECOND = 60;

/** Sub-units in one world unit; the resolution of positions that move smoothly. */
export const SUB_UNITS = 7200;

/** Tick rates that divide a second into whole beats. */
export const TICK_RATES: readonly number[] = [10, 12, 15, 20, 30, 60];

/**
 * Beats in one tick.
 * @throws RangeError when the rate is not one of `TICK_RATES`.
 */
export function beatsPerTick(tickHz: number): number {
  if (!TICK_RATES.includes(tickHz)) {
    throw new RangeError(`tickHz ${tickHz} is not supported: use one of ${TICK_RATES.join(", ")}`);
  }
  return BEATS_PER_SECOND / tickHz;
}

/** The nearest whole world unit of a position in sub-units. */
export function toUnits(subUnits: number): number {
  return Math.floor((subUnits + SUB_UNITS / 2) / SUB_UNITS);
}

/** Milliseconds of a duration in beats, rounded up so that a running effect never shows 0. */
export function beatsToMs(beats: number): number {
  return Math.ceil((beats * 1000) / BEATS_PER_SECOND);
}

/** The value moved into the closed interval. */
export function clamp(value: number, min: number, max: number): number {
  return value < min ? min : value > max ? max : value;
}

/**
 * A triangle wave: whole numbers between -amplitude and +amplitude, 0 and rising at beat 0.
 * The integer stand-in for a sine; `period` is in beats and a multiple of 4.
 */
export function triangleWave(beat: number, period: number, amplitude: number): number {
  const distance = Math.floor(((beat % period) * 4 * amplitude) / period);
  if (distance < amplitude) return distance;
  return distance < 3 * amplitude ? 2 * amplitude - distance : distance - 4 * amplitude;
}

/** World units per second of `triangleWave` at a beat: its constant speed with the direction of that moment. */
export function triangleVelocity(beat: number, period: number, amplitude: number): number {
  const quarter = Math.floor(((beat % period) * 4) / period);
  const speed = Math.floor((amplitude * 4 * BEATS_PER_SECOND) / period);
  return quarter === 1 || quarter === 2 ? -speed : speed;
}
