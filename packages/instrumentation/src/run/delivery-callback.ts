/** Copies of this file share it: the one that a server loads marks what the one of a replay reads. */
const key = Symbol.for('reenact.delivery');

/**
 * Marks what a timer calls to hand on what came of its own accord so many microseconds after the recorded call around it began: a replay
 * hands it on where it came, between what the agent did before and after, however long either takes now.
 */
export function asDelivery<Callback extends (...parameters: never[]) => void>(
  callback: Callback,
  afterUs: number,
): Callback {
  return Object.defineProperty(callback, key, { value: afterUs });
}

/** How long after the beginning of the call around it came what a timer hands on; undefined where it hands on nothing that came. */
export function deliveredAfterUs(callback: unknown): number | undefined {
  const afterUs: unknown = typeof callback === 'function' ? Reflect.get(callback, key) : undefined;
  return typeof afterUs === 'number' ? afterUs : undefined;
}
