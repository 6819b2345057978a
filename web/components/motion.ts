/** Whether the visitor asked their system for less motion. */
import { signal } from "@preact/signals";

const reducedMotionQuery = matchMedia("(prefers-reduced-motion: reduce)");

export const prefersReducedMotion = signal(reducedMotionQuery.matches);
reducedMotionQuery.addEventListener("change", (event) => {
  prefersReducedMotion.value = event.matches;
});
