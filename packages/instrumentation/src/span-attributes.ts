import type { Attributes } from '@opentelemetry/api';
import type { SparseAttributes } from './gate.ts';

/** The attributes that have a value; call sites list optional ones plainly. */
export function definedAttributes(attributes: SparseAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null));
}
