/** Name under which this instrumentation registers with OpenTelemetry. */
export const OPENAI_INSTRUMENTATION_NAME = '@reenact/instrumentation-openai';

/** Version of this package. */
export const OPENAI_INSTRUMENTATION_VERSION = '0.1.0';

/** Versions of the openai package whose client this package knows how to patch. */
export const OPENAI_VERSIONS_SUPPORTED = ['>=5.0.0 <8'];
