/** Name under which this instrumentation registers with OpenTelemetry. */
export const MCP_INSTRUMENTATION_NAME = '@reenact/instrumentation-mcp';

/** Version of this package. */
export const MCP_INSTRUMENTATION_VERSION = '0.1.0';

/** The SDK in one package, as most programs use it. */
export const MCP_SDK_VERSIONS_SUPPORTED = ['>=1.20.0 <2'];

/** The AI SDK's client of its own. */
export const AI_SDK_MCP_VERSIONS_SUPPORTED = ['>=1.0.0 <3'];

/** The SDK split into a client and a server package. */
export const MCP_SPLIT_VERSIONS_SUPPORTED = ['>=2.0.0 <3'];
