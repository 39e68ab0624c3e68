import { payloadTree } from '@reenact/trace-model';
import type { CrossingFacts } from '../gate/crossing-facts.ts';

/** Gives the JSON tree of a crossing's input, undefined where its text is not kept. Do not change it. Throws where it is no JSON. */
export type ReadInput = () => unknown;

/** Reads the input of a crossing once for all that is made of it: the match key, and the view for people. */
export function inputReader({ input }: Pick<CrossingFacts, 'input'>): ReadInput {
  let known: { readonly tree: unknown } | undefined;
  return () => {
    known ??= { tree: input === undefined ? undefined : payloadTree(input.payload) };
    return known.tree;
  };
}
