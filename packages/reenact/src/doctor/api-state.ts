/** The version whose state all copies of the API of one major version meet in; undefined where nobody has set anything up. */
export type ApiState = (major: number) => string | undefined;

/** That of this process: `@opentelemetry/api` leaves it there, the version that came first. */
export const apiState: ApiState = (major) => {
  const state: unknown = Reflect.get(globalThis, Symbol.for(`opentelemetry.js.api.${major}`));
  const version: unknown = typeof state === 'object' && state !== null ? Reflect.get(state, 'version') : undefined;
  return typeof version === 'string' ? version : undefined;
};

function numbersOf(version: string): { readonly major: number; readonly minor: number } {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return { major, minor };
}

/** Whether one of two copies of an API package emits what the other does not see. */
export function areBlind(name: string, one: string, other: string, state: ApiState): boolean {
  const [first, second] = [numbersOf(one), numbersOf(other)];
  if (first.major !== second.major) return true;
  // Copies of api-logs go by a number of their own, which has been the same in each.
  if (name !== '@opentelemetry/api') return false;
  const ofState = state(first.major);
  // An older copy finds the state of a newer one, which has all that it asks for.
  if (ofState !== undefined) return Math.max(first.minor, second.minor) > numbersOf(ofState).minor;
  return first.minor !== second.minor;
}

/** Whether what is set up through this version of the API is refused: it must be the very version that came first. */
export function isRefused(version: string, state: ApiState): boolean {
  const ofState = state(numbersOf(version).major);
  return ofState !== undefined && ofState !== version;
}

/** Whether a copy of this version finds what is set up through the one that came first. */
export function isFinding(version: string, state: ApiState): boolean {
  const { major, minor } = numbersOf(version);
  const ofState = state(major);
  return ofState !== undefined && minor <= numbersOf(ofState).minor;
}
