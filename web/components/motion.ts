/** Whether the viewer's system asks for reduced motion. */
import { signal } from "@preact/signals";

/** False in what the server renders, and until the page lives. */
export const prefersReducedMotion = signal(false);

export function followMotionPreference(): void {
  const query = matchMedia("(prefers-reduced-motion: reduce)");
  prefersReducedMotion.value = query.matches;
  query.addEventListener("change", (event) => {
    prefersReducedMotion.value = event.matches;
  });
}
