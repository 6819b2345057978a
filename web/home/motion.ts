/** Whether the visitor asked their system for less motion. */
import { signal } from "@preact/signals";

const query = matchMedia("(prefers-reduced-motion: reduce)");

export const reducedMotion = signal(query.matches);
query.addEventListener("change", (event) => {
  reducedMotion.value = event.matches;
});
