import type { Attributes, HrTime } from '@opentelemetry/api';

/** Name of the event that tells of the evaluation of a feature flag. */
export const EVENT_FEATURE_FLAG_EVALUATION = 'feature_flag.evaluation';

/** One evaluation of a feature flag, as an event of the crossing's span. */
export interface FlagEvent {
  readonly name: string;
  readonly time: HrTime;
  readonly attributes: Attributes;
}
