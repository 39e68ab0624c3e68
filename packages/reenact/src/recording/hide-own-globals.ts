/** What `zod`, which reads what a replay is given, sets on the global object as it is loaded. */
const GLOBALS_OF_ZOD = ['__zod_globalConfig', '__zod_globalRegistry'] as const;

/**
 * Keeps what a replay loads out of `Object.keys(globalThis)`, which some makers of ids, as cuid2, put into each of them. While recording, too:
 * the program's own `zod` is the same module, and sets the same. An assignment to what is there leaves it hidden.
 */
export function hideOwnGlobals(): void {
  for (const name of GLOBALS_OF_ZOD) {
    const there = Object.getOwnPropertyDescriptor(globalThis, name);
    // What was loaded before the hook is behind it in a replay.
    if (there === undefined) Object.defineProperty(globalThis, name, { writable: true, configurable: true });
    else if (there.configurable === true) Object.defineProperty(globalThis, name, { enumerable: false });
  }
}
