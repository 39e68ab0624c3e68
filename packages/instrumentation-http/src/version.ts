import { UNDICI_MAJORS } from '@reenact/instrumentation';

/** Name under which this instrumentation registers with OpenTelemetry. */
export const HTTP_INSTRUMENTATION_NAME = '@reenact/instrumentation-http';

/** Version of this package. */
export const HTTP_INSTRUMENTATION_VERSION = '0.1.0';

/** Versions of the undici package that are patched. */
export const UNDICI_VERSIONS_SUPPORTED = [`>=${UNDICI_MAJORS.first}.0.0 <${UNDICI_MAJORS.last + 1}`];
