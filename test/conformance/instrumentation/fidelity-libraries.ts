import type { FidelityLibrary } from './fidelity-library.ts';
import { aiSdkFidelity } from './libraries/ai-sdk.ts';
import { anthropicFidelity } from './libraries/anthropic.ts';
import { fetchFidelity } from './libraries/fetch.ts';
import { grpcFidelity } from './libraries/grpc.ts';
import { mcpHttpFidelity, mcpStdioFidelity } from './libraries/mcp.ts';
import { nodeHttpFidelity } from './libraries/node-http.ts';
import { nodeHttp2Fidelity } from './libraries/node-http2.ts';
import { openaiFidelity } from './libraries/openai.ts';
import { sqliteFidelity } from './libraries/sqlite.ts';
import { undiciFidelity } from './libraries/undici.ts';

/** Every row of the table, in its order. A new instrumentation adds one file to `libraries/` and one line here. */
export const fidelityLibraries: readonly FidelityLibrary[] = [
  openaiFidelity,
  anthropicFidelity,
  aiSdkFidelity,
  fetchFidelity,
  nodeHttpFidelity,
  undiciFidelity,
  nodeHttp2Fidelity,
  grpcFidelity,
  mcpStdioFidelity,
  mcpHttpFidelity,
  sqliteFidelity,
];
