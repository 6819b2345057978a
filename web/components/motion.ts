/** Whether the viewer's system asks for reduced motion. */
import { signal } from "@preact/signals";

const reducedMotionQuery = matchMedia("(prefers-reduced-motion: reduce)");

export const prefersReducedMotion = signal(reducedMotionQuery.matches);
reducedMotionQuery.addEventListener("change", (event) => {
  prefersReducedMotion.value = event.matches;
});
