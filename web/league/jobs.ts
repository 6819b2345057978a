/** What pages and the worker that runs policies send each other. */

import type { Hex } from "../../client/api.ts";
import type { Run, Rung } from "../../domain/league/course.ts";

export interface Courses {
  readonly slug: string;
  readonly rulesVersion: number;
  readonly tickHz: number;
  readonly ticksMax: number;
  readonly seeds: readonly Hex[];
}

/** `form`: whether the parts of a round's file fit each other. */
export type Job =
  | { readonly kind: "form"; readonly round: unknown }
  | { readonly kind: "policy"; readonly text: string; readonly courses: Courses }
  | { readonly kind: "rung"; readonly rung: Rung; readonly courses: Courses };

export type JobMessage =
  /** Sent again and again while it works. */
  | { readonly kind: "alive" }
  /** One course after the other. */
  | { readonly kind: "run"; readonly run: Run }
  | { readonly kind: "done"; readonly found: readonly string[] }
  | { readonly kind: "failed"; readonly text: string };
