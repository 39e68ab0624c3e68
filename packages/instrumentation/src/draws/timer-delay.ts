const delayMsMax = 2 ** 31 - 1;

/** Milliseconds as Node.js reads a delay: whole, and 1 for what is no delay. */
export function timerDelayMs(delay: unknown): number {
  const number = Number(delay);
  return number >= 1 && number <= delayMsMax ? Math.trunc(number) : 1;
}
