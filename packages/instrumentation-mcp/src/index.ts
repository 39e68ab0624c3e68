export { instrumentMcpClient, instrumentMcpServer, instrumentMcpTransport } from './instrument-mcp.ts';
export { McpInstrumentation } from './instrumentation.ts';
export type { McpInstrumentationConfig } from './types.ts';
