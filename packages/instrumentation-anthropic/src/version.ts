/** Name under which this instrumentation registers with OpenTelemetry. */
export const ANTHROPIC_INSTRUMENTATION_NAME = '@reenact/instrumentation-anthropic';

/** Version of this package. */
export const ANTHROPIC_INSTRUMENTATION_VERSION = '0.1.0';

/** Versions of the @anthropic-ai/sdk package whose client this package knows how to patch. */
export const ANTHROPIC_VERSIONS_SUPPORTED = ['>=1.0.0 <2'];
