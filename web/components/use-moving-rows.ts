/** Rows of a table that change their order slide to their new place. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { prefersReducedMotion } from "./motion.ts";

const MOVE_MS = 500;

/** `keys`: of the rows, in their order. */
export function useMovingRows(keys: readonly string[]): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const tops = useRef(new Map<string, number>());
  useLayoutEffect(() => {
    const rows = box.current?.querySelectorAll<HTMLTableRowElement>("tbody tr") ?? [];
    const next = new Map<string, number>();
    for (const [index, row] of [...rows].entries()) {
      const key = keys[index];
      if (key === undefined) continue;
      const top = row.offsetTop;
      next.set(key, top);
      const movedBy = (tops.current.get(key) ?? top) - top;
      if (movedBy !== 0 && !prefersReducedMotion.value)
        row.animate([{ transform: `translateY(${movedBy}px)` }, { transform: "none" }], {
          duration: MOVE_MS,
          easing: "ease-out",
        });
    }
    tops.current = next;
  });
  return box;
}
