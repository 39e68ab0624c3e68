import {
  ATTR_REENACT_OUTPUT_GIVEN_MICROTASKS as GIVEN_MICROTASKS,
  ATTR_REENACT_OUTPUT_GIVEN_US as GIVEN_US,
} from '@reenact/semconv/reenact';
import type { SemconvView } from '../gate/boundary-definition.ts';

/** When a promise gave its stream, as in a `Crossing`. */
export interface StreamGiven {
  readonly offsetUs: number;
  readonly microtasks?: number | undefined;
}

/** What the span of a call says of it. */
export function givenStreamView({ offsetUs, microtasks }: StreamGiven): SemconvView {
  return { slim: { [GIVEN_US]: offsetUs, [GIVEN_MICROTASKS]: microtasks } };
}
