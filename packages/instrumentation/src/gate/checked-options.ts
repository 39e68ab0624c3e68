import { BOUNDARY_KINDS, type BoundaryKind, CAPTURE_LEVELS, EFFECTS, ReenactError } from '@reenact/trace-model';

const closedValues: Readonly<Record<string, readonly string[]>> = { effect: EFFECTS, capture: CAPTURE_LEVELS };

/**
 * Refuses what code that is not type-checked says of a boundary by a name or a value there is none of: a misspelt effect would be
 * recorded as none was meant. Throws ReenactError `bad-argument`; it is thrown where the boundary is made, and not by a call.
 */
export function checkOptions(where: string, options: object, known: readonly string[]): void {
  for (const [key, value] of Object.entries(options)) {
    if (!known.includes(key)) throw refusal(where, `There is no option "${key}".`, known);
    const values = closedValues[key];
    if (values === undefined || value === undefined || values.includes(value)) continue;
    throw refusal(where, `${JSON.stringify(value) ?? String(value)} is no ${key}.`, values);
  }
}

/** Refuses a kind that no boundary has. Throws ReenactError `bad-argument`. */
export function checkKind(where: string, kind: BoundaryKind): void {
  if (BOUNDARY_KINDS.includes(kind)) return;
  throw refusal(where, `"${String(kind)}" is no kind of boundary.`, BOUNDARY_KINDS);
}

function refusal(where: string, message: string, instead: readonly string[]): ReenactError {
  return new ReenactError('bad-argument', message, { where, next: `Use one of: ${instead.join(', ')}.` });
}
