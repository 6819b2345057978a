import { startTestStack, type TestStack, type TestStackOptions } from "../../testing/stack.ts";
import { useShared } from "./fixture.ts";

export * from "../../testing/stack.ts";

/** Declares a stack for the tests of the block, which starts before them and is closed after them. */
export const useTestStack = (options?: TestStackOptions, close?: (stack: TestStack) => Promise<void>): TestStack =>
  useShared(() => startTestStack(options), close);
