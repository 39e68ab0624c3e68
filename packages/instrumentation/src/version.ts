/** Name of the instrumentation scope of every crossing's span. */
export const INSTRUMENTATION_NAME = '@reenact/instrumentation';

/** Version of this package; a test compares it with package.json. */
export const INSTRUMENTATION_VERSION = '0.1.0';
