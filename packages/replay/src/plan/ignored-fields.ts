import { type Crossing, isTree, ReenactError } from '@reenact/trace-model';
import { parseJsonPath } from '../provenance/json-path.ts';
import type { IgnoreRule } from './plan-schema.ts';

const everyIndex = Symbol('every index');

/** One step of an ignored path. */
type Step = string | number | typeof everyIndex;

/** A place in an input that is not compared. */
export interface IgnoredPath {
  /** As it is written in the plan. */
  readonly text: string;
  readonly steps: readonly Step[];
}

/** An ignore rule with the crossings it names. */
export interface ResolvedIgnore {
  /** Its place in the plan. */
  readonly index: number;
  readonly rule: IgnoreRule;
  readonly path: IgnoredPath;
  readonly matched: ReadonlySet<Crossing>;
}

function stepsOf(path: string): Step[] {
  return path.split('[*]').flatMap((part, index): Step[] => {
    return index === 0 ? [...parseJsonPath(part)] : [everyIndex, ...parseJsonPath(`$${part}`)];
  });
}

/** Reads the ignore rules of a plan. Throws ReenactError `bad-plan` for a path that cannot be read. */
export function resolveIgnores(
  rules: readonly IgnoreRule[],
  find: (selector: string) => { readonly matched: readonly Crossing[] },
): ResolvedIgnore[] {
  return rules.map((rule, index) => {
    const { matched } = find(rule.selector);
    try {
      const steps = stepsOf(rule.path);
      if (steps.length === 0) throw new ReenactError('bad-plan', 'The whole input cannot be ignored.');
      return { index, rule, path: { text: rule.path, steps }, matched: new Set(matched) };
    } catch (cause) {
      const why = cause instanceof ReenactError ? cause.message : 'it cannot be read';
      throw new ReenactError('bad-plan', `The path of an ignore rule cannot be used: ${why}`, {
        where: rule.path,
        next: 'Write a JSON path into the input as reports print it, for example $[0].requestId or $.messages[*].id.',
      });
    }
  });
}

function without(tree: unknown, steps: readonly Step[]): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return { $: 'ignored' };
  if (Array.isArray(tree))
    return tree.map((item, index) => (step === everyIndex || step === index ? without(item, rest) : item));
  if (step === everyIndex || !isTree(tree) || !Object.hasOwn(tree, String(step))) return tree;
  // A member may also be absent on one side; an item of a list stands for its place.
  const kept = Object.entries(tree).flatMap(([key, item]) => {
    if (key !== String(step)) return [[key, item]];
    return rest.length === 0 ? [] : [[key, without(item, rest)]];
  });
  return Object.fromEntries(kept);
}

/** A copy of an input without what is ignored. */
export function withoutIgnored(tree: unknown, paths: readonly IgnoredPath[]): unknown {
  return paths.reduce<unknown>((cut, { steps }) => without(cut, steps), tree);
}

/** The values of an input at an ignored place. */
export function ignoredValues(tree: unknown, { text, steps }: IgnoredPath): unknown[] {
  const [step, ...others] = steps;
  const rest = { text, steps: others };
  if (step === undefined) return [tree];
  if (Array.isArray(tree)) {
    return tree.flatMap((item, index) => (step === everyIndex || step === index ? ignoredValues(item, rest) : []));
  }
  if (step === everyIndex || !isTree(tree) || !Object.hasOwn(tree, String(step))) return [];
  return ignoredValues(tree[String(step)], rest);
}
