import { placeholdersIn } from '@reenact/instrumentation';

/** Where each of the literals begins, looked for from the front, each at its first place; undefined where one is not there. */
function firstPlaces(text: string, literals: readonly string[]): number[] | undefined {
  const places: number[] = [];
  let from = 0;
  for (const [index, literal] of literals.entries()) {
    const isLast = index === literals.length - 1;
    const at = isLast ? text.length - literal.length : text.indexOf(literal, from);
    if (at < from || !text.startsWith(literal, at) || (index === 0 && at !== 0)) return undefined;
    places.push(at);
    from = at + literal.length;
  }
  return places;
}

/** The same from the back, each at its last place. */
function lastPlaces(text: string, literals: readonly string[]): number[] | undefined {
  const places: number[] = [];
  let until = text.length;
  for (const [index, literal] of literals.toReversed().entries()) {
    const isFirst = index === literals.length - 1;
    const at = isFirst ? 0 : text.lastIndexOf(literal, until - literal.length);
    if (at < 0 || at + literal.length > until || !text.startsWith(literal, at)) return undefined;
    if (index === 0 && at + literal.length !== text.length) return undefined;
    places.unshift(at);
    until = at;
  }
  return places;
}

/**
 * What a text holds in the places of the tokens of a recorded one, in their order. Empty where the rest is not as it was recorded, or where there is more
 * than one way to lay the one over the other: nothing is guessed.
 */
export function givenInText(recorded: string, live: string): { readonly token: string; readonly value: string }[] {
  const spans = placeholdersIn(recorded);
  const [first] = spans;
  if (first === undefined) return [];
  const literals = [
    recorded.slice(0, first.start),
    ...spans.map(({ end }, index) => recorded.slice(end, spans[index + 1]?.start ?? recorded.length)),
  ];
  const places = firstPlaces(live, literals);
  const others = lastPlaces(live, literals);
  if (places === undefined || others?.some((place, index) => place !== places[index]) !== false) return [];
  return spans.map(({ start, end }, index) => {
    const from = (places[index] ?? 0) + (literals[index]?.length ?? 0);
    return { token: recorded.slice(start, end), value: live.slice(from, places[index + 1]) };
  });
}
