type Fire = (...given: unknown[]) => void;

function stackAt(set: (fire: Fire) => unknown): Promise<string> {
  return new Promise((resolve) =>
    set(() => resolve(String(new Error('late').stack).replace(/(app|ts|js):\d+:\d+/g, '$1'))),
  );
}

async function stackOfTimeout(): Promise<string> {
  const signal = AbortSignal.timeout(1);
  // Such a signal does not keep the process.
  const holding = setTimeout(() => undefined, 60_000);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  clearTimeout(holding);
  return String((signal.reason as Error).stack);
}

/** The stacks of errors that are made when a timer of each sort fires, places in sources left out; those in Node.js stay. */
export async function stacksOfTimers(): Promise<string[]> {
  return [
    await stackAt((fire) => setTimeout(fire, 1)),
    await stackAt((fire) => setTimeout(fire, 1, 'with', 'parameters')),
    await stackAt((fire) => {
      const timer = setTimeout(function named() {
        clearTimeout(timer);
        fire();
      }, 1);
    }),
    await stackAt((fire) => {
      const timer = setInterval(() => {
        clearInterval(timer);
        fire();
      }, 1);
    }),
    await stackAt((fire) => setImmediate(fire)),
    await stackAt((fire) => setImmediate(fire, 'with', 'parameters')),
    await stackOfTimeout(),
  ];
}
