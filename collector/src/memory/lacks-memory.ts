/** Whether this says that memory could not be had: what asked for it may go well at another time. */
export function lacksMemory(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  // V8 gives it no code, and a RangeError is also what a number has that is none.
  const isOfBuffer = thrown instanceof RangeError && thrown.message === 'Array buffer allocation failed';
  return isOfBuffer || Reflect.get(thrown, 'code') === 'ERR_MEMORY_ALLOCATION_FAILED';
}
