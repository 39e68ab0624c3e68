/** Name under which this instrumentation registers with OpenTelemetry. */
export const HTTP_INSTRUMENTATION_NAME = '@reenact/instrumentation-http';

/** Version of this package. */
export const HTTP_INSTRUMENTATION_VERSION = '0.1.0';

/** Versions of the undici package that are patched: the first whose handlers are told of controllers is 8. */
export const UNDICI_VERSIONS_SUPPORTED = ['>=8.0.0 <9'];
