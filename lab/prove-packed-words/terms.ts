/** Terms of SMT-LIB over words of 256 bits. */
import { bv, type Term } from "./to-smt.ts";

export const and = (...terms: readonly Term[]): Term => (terms.length === 1 ? terms[0]! : `(and ${terms.join(" ")})`);
export const add = (a: Term, b: Term): Term => `(bvadd ${a} ${b})`;
export const sub = (a: Term, b: Term): Term => `(bvsub ${a} ${b})`;
export const eq = (a: Term, b: Term): Term => `(= ${a} ${b})`;
export const atMost = (a: Term, b: Term): Term => `(bvule ${a} ${b})`;
export const below = (a: Term, b: Term): Term => `(bvult ${a} ${b})`;
export const ite = (condition: Term, yes: Term, no: Term): Term => `(ite ${condition} ${yes} ${no})`;
export const most = (bits: number): Term => bv((1n << BigInt(bits)) - 1n);
export const bool = (name: string): Term => eq(name, bv(1n));
