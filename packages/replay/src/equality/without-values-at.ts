import { isTree } from '@reenact/trace-model';

function cutAt(tree: unknown, steps: readonly string[]): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return { $: 'redacted' };
  if (Array.isArray(tree)) return tree.map((item, index) => (String(index) === step ? cutAt(item, rest) : item));
  if (!isTree(tree) || !Object.hasOwn(tree, step)) return tree;
  return Object.fromEntries(
    Object.entries(tree).flatMap(([key, item]) => {
      if (key !== step) return [[key, item]];
      return [[key, cutAt(item, rest)]];
    }),
  );
}

/** A copy of the tree in which the values at these JSON pointers are one constant: compared by presence only. */
export function withoutValuesAt(tree: unknown, pointers: readonly string[]): unknown {
  return pointers.reduce<unknown>((cut, pointer) => {
    const steps = pointer
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    return cutAt(cut, steps);
  }, tree);
}
