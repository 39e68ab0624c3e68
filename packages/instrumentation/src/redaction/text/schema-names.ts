import { secrecyOfName } from './secret-names.ts';

/** What a JSON schema says a value is or may be; the name of that value is the property's. */
const valueKeywords: ReadonlySet<string> = new Set(['const', 'default', 'example', 'examples']);
const alternatives = /^(?:anyOf|oneOf|allOf)$/;

/** The member or property whose value this place gives, as one of a form or of a JSON schema, where its name may be that of a secret. */
export function namedBySchema(steps: readonly string[]): string | undefined {
  let last = steps.length - 1;
  const above = steps[last - 1];
  if (steps[last] === 'value' && above !== undefined && secrecyOfName(above) === 'secret') return above;
  if (!valueKeywords.has(steps[last] ?? '')) return undefined;
  last -= 1;
  while (steps[last] === 'items' || alternatives.test(steps[last - 1] ?? '')) last -= steps[last] === 'items' ? 1 : 2;
  const property = steps[last - 1] === 'properties' ? steps[last] : undefined;
  return property !== undefined && secrecyOfName(property) !== undefined ? property : undefined;
}
