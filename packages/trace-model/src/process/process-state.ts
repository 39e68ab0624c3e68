import { processGlobal } from './process-global.ts';

/**
 * The state under a name that all copies of these packages in one process share, for a bundle brings its own; made by the first copy that
 * asks. `name` ends with the version of its shape, such as `gate.1`.
 */
export function processState<State extends object>(name: string, make: () => State): State {
  const key = Symbol.for(`reenact.${name}`);
  const holder = processGlobal() as { [key: symbol]: State | undefined };
  const found = holder[key];
  if (found !== undefined) return found;
  const made = make();
  Object.defineProperty(holder, key, { value: made });
  return made;
}
