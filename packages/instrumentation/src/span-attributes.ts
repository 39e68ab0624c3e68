import type { Attributes } from '@opentelemetry/api';
import type { SparseAttributes } from './gate.ts';

/** The attributes that have a value; call sites list optional ones plainly. */
export function definedAttributes(attributes: SparseAttributes): Attributes {
  const defined: Attributes = {};
  for (const key of Object.keys(attributes)) {
    const value = attributes[key];
    if (value !== undefined && value !== null) defined[key] = value;
  }
  return defined;
}
