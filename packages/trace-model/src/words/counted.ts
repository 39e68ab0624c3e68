/** A number with its noun, as `1 span` and `2 spans`. Of nouns whose plural is made with an s. */
export function counted(count: number, singular: string): string {
  return `${count} ${singular}${count === 1 ? '' : 's'}`;
}
