/** Whether the viewer's system is set to reduced motion. */
import { signal } from "@preact/signals";

/** False on the server, and until the page is hydrated. */
export const prefersReducedMotion = signal(false);

export function followMotionPreference(): void {
  const query = matchMedia("(prefers-reduced-motion: reduce)");
  prefersReducedMotion.value = query.matches;
  query.addEventListener("change", (event) => {
    prefersReducedMotion.value = event.matches;
  });
}
