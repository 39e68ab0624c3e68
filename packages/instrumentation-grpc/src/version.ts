/** Name under which this instrumentation registers with OpenTelemetry. */
export const GRPC_INSTRUMENTATION_NAME = '@reenact/instrumentation-grpc';

/** Version of this package. */
export const GRPC_INSTRUMENTATION_VERSION = '0.1.0';

/** Versions of `@grpc/grpc-js` that are patched. */
export const GRPC_VERSIONS_SUPPORTED = ['>=1.10.0 <2'];

/** Versions of `@bufbuild/protobuf` whose generated code is read for names of fields. */
export const PROTOBUF_VERSIONS_SUPPORTED = ['>=2.2.0 <3'];
