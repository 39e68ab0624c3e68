/** Name under which this instrumentation registers with OpenTelemetry. */
export const AI_SDK_INSTRUMENTATION_NAME = '@reenact/instrumentation-ai-sdk';

/** Version of this package. */
export const AI_SDK_INSTRUMENTATION_VERSION = '0.1.0';

/** Versions of the `ai` package whose functions this package knows how to wrap. */
export const AI_SDK_VERSIONS_SUPPORTED = ['>=7.0.0 <8'];

/** Versions of `@ai-sdk/provider-utils` that belong to them. */
export const PROVIDER_UTILS_VERSIONS_SUPPORTED = ['>=5.0.0 <6'];
