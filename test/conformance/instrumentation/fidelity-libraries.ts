import type { FidelityLibrary } from './fidelity-library.ts';
import { aiSdkFidelity } from './libraries/ai-sdk.ts';
import { aiSdkMcpFidelity } from './libraries/ai-sdk-mcp.ts';
import { anthropicFidelity } from './libraries/anthropic.ts';
import { betterSqlite3Fidelity } from './libraries/better-sqlite3.ts';
import { fetchFidelity } from './libraries/fetch.ts';
import { grpcFidelity } from './libraries/grpc.ts';
import { ioredisFidelity } from './libraries/ioredis.ts';
import { libsqlFidelity } from './libraries/libsql.ts';
import { mcpHttpFidelity, mcpStdioFidelity } from './libraries/mcp.ts';
import { mongodbFidelity } from './libraries/mongodb.ts';
import { mysql2Fidelity } from './libraries/mysql2.ts';
import { nodeHttpFidelity } from './libraries/node-http.ts';
import { nodeHttp2Fidelity } from './libraries/node-http2.ts';
import { openaiFidelity } from './libraries/openai.ts';
import { pgFidelity } from './libraries/pg.ts';
import { redisFidelity } from './libraries/redis.ts';
import { sqliteFidelity } from './libraries/sqlite.ts';
import { undiciFidelity } from './libraries/undici.ts';
import { webSocketFidelity } from './libraries/web-socket.ts';

/** Every row of the table, in its order. A new instrumentation adds one file to `libraries/` and one line here. */
export const fidelityLibraries: readonly FidelityLibrary[] = [
  openaiFidelity,
  anthropicFidelity,
  aiSdkFidelity,
  fetchFidelity,
  nodeHttpFidelity,
  undiciFidelity,
  webSocketFidelity,
  nodeHttp2Fidelity,
  grpcFidelity,
  mcpStdioFidelity,
  mcpHttpFidelity,
  aiSdkMcpFidelity,
  sqliteFidelity,
  betterSqlite3Fidelity,
  libsqlFidelity,
  pgFidelity,
  mysql2Fidelity,
  ioredisFidelity,
  redisFidelity,
  mongodbFidelity,
];
