/** Name under which this instrumentation registers with OpenTelemetry. */
export const HTTP_INSTRUMENTATION_NAME = '@reenact/instrumentation-http';

/** Version of this package. */
export const HTTP_INSTRUMENTATION_VERSION = '0.1.0';
