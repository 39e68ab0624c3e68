import { isTree } from '@reenact/trace-model';
import { type JsonPath, jsonPathText, valueAt } from '../recorded/json-path.ts';
import { withSharedValues } from './shared-values.ts';
import { placeInTree } from './value-place.ts';

/** A copy with another value at one place, or where the path ends too early and what is there instead. */
export type Replaced = { readonly value: unknown } | { readonly missingAt: string; readonly found: string };

function copyWith(container: object, step: string | number, value: unknown): unknown {
  if (Array.isArray(container)) return container.map((item: unknown, index) => (index === step ? value : item));
  // A live value keeps its class; own accessors become plain members, as the code that reads them cannot tell.
  const copy = Object.assign(Object.create(Object.getPrototypeOf(container) as object | null), container) as object;
  Object.defineProperty(copy, step, { value, enumerable: true, writable: true, configurable: true });
  return copy;
}

function replaceAt(container: unknown, path: JsonPath, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const inside = container as Record<string | number, unknown>;
  return copyWith(inside, step, rest.length === 0 ? value : replaceAt(inside[step], rest, value));
}

function canTake(container: unknown, step: string | number): boolean {
  if (Array.isArray(container)) return typeof step === 'number' && step < container.length;
  return isTree(container);
}

/** As `withValueAtPath`, in a tagged tree (docs/adr/0004): the path names a place in the value that the tree stands for. */
export function withValueInTree(tree: unknown, path: JsonPath, value: unknown): Replaced {
  const place = placeInTree(tree, path);
  const around = valueAt(tree, place.slice(0, -1));
  const last = place.at(-1);
  // What stands for a value, such as a date or a map, has members of its own: another one would say nothing.
  if ('value' in around && isTree(around.value) && typeof around.value.$ === 'string' && last !== undefined) {
    const { $: form } = around.value;
    if (!Object.hasOwn(around.value, last)) {
      return {
        missingAt: jsonPathText(path.slice(0, -1)),
        found: `a value of the form "${form}", which is changed as a whole`,
      };
    }
  }
  const replaced = withValueAtPath(tree, place, value);
  return 'value' in replaced ? { value: withSharedValues(replaced.value, tree) } : replaced;
}

/**
 * A copy of a tree or of a live value with `value` at the path; what is not on the way is shared. The last step may be a new
 * member of an object, so that a member can be added; everything before it must be there.
 */
export function withValueAtPath(tree: unknown, path: JsonPath, value: unknown): Replaced {
  const last = path.at(-1);
  if (last === undefined) return { value };
  const around = valueAt(tree, path.slice(0, -1));
  if (!('value' in around)) return around;
  if (!canTake(around.value, last)) {
    const whole = valueAt(around.value, [last]);
    const found = 'found' in whole ? whole.found : 'no members';
    return { missingAt: jsonPathText(path.slice(0, -1)), found };
  }
  return { value: replaceAt(tree, path, value) };
}
