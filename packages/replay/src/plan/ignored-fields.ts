import { type Crossing, isTree, ReenactError } from '@reenact/trace-model';
import { parseJsonPath, whyNotInText } from '../recorded/json-path.ts';
import type { IgnoreRule } from './plan-schema.ts';

const everyIndex = Symbol('every index');

/** One step of an ignored path. */
type Step = string | number | typeof everyIndex;

/** A place in an input, or in the request that a client sends for it, that is not compared. */
export interface IgnoredPath {
  /** As it is written in the plan. */
  readonly text: string;
  /** A path into an input begins with `$`, one into a request with `headers` or `query`. */
  readonly of: 'input' | 'request';
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

const requestPart = /^(?:headers|query)(?=[.[])/;

function stepsOf(path: string): Step[] {
  const rooted = requestPart.test(path) ? `$.${path}` : path;
  return rooted.split('[*]').flatMap((part, index): Step[] => {
    return index === 0 ? [...parseJsonPath(part)] : [everyIndex, ...parseJsonPath(`$${part}`)];
  });
}

/** Whether a path is for the input or for the request. The headers and query that an input holds are those of the request, too. */
export function leadsInto({ of, steps }: IgnoredPath, part: IgnoredPath['of']): boolean {
  return of === part || (part === 'request' && (steps[0] === 'headers' || steps[0] === 'query'));
}

function partOf(path: string): IgnoredPath['of'] {
  return requestPart.test(path) ? 'request' : 'input';
}

/** Reads the ignore rules of a plan. Throws ReenactError `bad-plan` for a path that cannot be read. */
export function resolveIgnores(
  rules: readonly IgnoreRule[],
  find: (selector: string) => { readonly matched: readonly Crossing[] },
): ResolvedIgnore[] {
  return rules.map((rule, index) => {
    const { matched } = find(rule.selector);
    try {
      const inText = whyNotInText(rule.path);
      if (inText !== undefined) throw new ReenactError('bad-plan', `${inText}.`);
      const steps = stepsOf(rule.path);
      if (steps.length === 0) throw new ReenactError('bad-plan', 'The whole input cannot be ignored.');
      return { index, rule, path: { text: rule.path, of: partOf(rule.path), steps }, matched: new Set(matched) };
    } catch (cause) {
      const why = cause instanceof ReenactError ? cause.message : 'it cannot be read';
      throw new ReenactError('bad-plan', `The path of an ignore rule cannot be used: ${why}`, {
        where: rule.path,
        next: 'Write a JSON path into the input as reports print it, for example $[0].requestId, $.messages[*].id or headers["x-run"].',
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

/** A copy of an input, or of a request, without what is ignored. */
export function withoutIgnored(tree: unknown, paths: readonly IgnoredPath[]): unknown {
  return paths.reduce<unknown>((cut, { steps }) => without(cut, steps), tree);
}

/** The values of an input, or of a request, at an ignored place. */
export function ignoredValues(tree: unknown, path: IgnoredPath): unknown[] {
  const [step, ...others] = path.steps;
  const rest = { ...path, steps: others };
  if (step === undefined) return [tree];
  if (Array.isArray(tree)) {
    return tree.flatMap((item, index) => (step === everyIndex || step === index ? ignoredValues(item, rest) : []));
  }
  if (step === everyIndex || !isTree(tree) || !Object.hasOwn(tree, String(step))) return [];
  return ignoredValues(tree[String(step)], rest);
}
