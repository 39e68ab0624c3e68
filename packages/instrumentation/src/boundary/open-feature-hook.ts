import { type Attributes, context as contexts } from '@opentelemetry/api';
import {
  ATTR_ERROR_TYPE,
  ATTR_FEATURE_FLAG_ERROR_MESSAGE,
  ATTR_FEATURE_FLAG_KEY,
  ATTR_FEATURE_FLAG_PROVIDER_NAME,
  ATTR_FEATURE_FLAG_RESULT_REASON,
  ATTR_FEATURE_FLAG_RESULT_VALUE,
  ATTR_FEATURE_FLAG_RESULT_VARIANT,
} from '@reenact/semconv/core';
import { gate } from '../admission/current-gate.ts';
import { definedAttributes } from '../gate/span-attributes.ts';
import { guarded } from '../host/report-failure.ts';
import { redactAttributes } from '../redaction/places/redact-crossing.ts';

/** What is read of the context that OpenFeature hands to its hooks. */
export interface FlagHookContext {
  readonly flagKey: string;
  readonly providerMetadata?: { readonly name?: string };
}

/** What is read of an evaluation's details; the value is the default where the evaluation failed. */
export interface FlagEvaluationDetails {
  readonly flagKey: string;
  readonly value: unknown;
  readonly variant?: string | undefined;
  readonly reason?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly errorMessage?: string | undefined;
}

/** A hook as OpenFeature's server SDK takes it, with the one stage that every evaluation passes. */
export interface FlagHook {
  finally(hookContext: FlagHookContext, details: FlagEvaluationDetails): void;
}

function evaluationAttributes({ providerMetadata }: FlagHookContext, details: FlagEvaluationDetails): Attributes {
  return redactAttributes(
    definedAttributes({
      [ATTR_FEATURE_FLAG_KEY]: details.flagKey,
      [ATTR_FEATURE_FLAG_PROVIDER_NAME]: providerMetadata?.name,
      [ATTR_FEATURE_FLAG_RESULT_VARIANT]: details.variant,
      [ATTR_FEATURE_FLAG_RESULT_VALUE]: JSON.stringify(details.value),
      [ATTR_FEATURE_FLAG_RESULT_REASON]: details.reason?.toLowerCase(),
      [ATTR_ERROR_TYPE]: details.errorCode?.toLowerCase(),
      [ATTR_FEATURE_FLAG_ERROR_MESSAGE]: details.errorMessage,
    }),
  );
}

/**
 * Makes a hook for OpenFeature: `OpenFeature.addHooks(openFeatureHook())`. Each evaluation inside a run is recorded on the crossing
 * around it as an event `feature_flag.evaluation`, its value as JSON; outside runs it does nothing. In a replay it is compared with the
 * recorded one. It never changes an evaluation and never throws.
 */
export function openFeatureHook(): FlagHook {
  return {
    finally(hookContext, details) {
      guarded(
        'recording a feature flag',
        () => gate.flagEvaluated(contexts.active(), evaluationAttributes(hookContext, details)),
        undefined,
      );
    },
  };
}
