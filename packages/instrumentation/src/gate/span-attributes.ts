import type { Attributes } from '@opentelemetry/api';
import type { SparseAttributes } from './gate.ts';

/** The attributes that have a value, laid over those of `target`; call sites list optional ones plainly. */
export function definedAttributes(attributes: SparseAttributes, target: Attributes = {}): Attributes {
  for (const key of Object.keys(attributes)) {
    const value = attributes[key];
    if (value !== undefined && value !== null) target[key] = value;
  }
  return target;
}
