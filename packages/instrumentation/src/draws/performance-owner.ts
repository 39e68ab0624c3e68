/** What the members of `performance` stand on: the clock that a test has faked is an object of its own, without a prototype. */
export function performanceOwner(): object {
  return Object.hasOwn(performance, 'now') ? performance : (Object.getPrototypeOf(performance) as object);
}
