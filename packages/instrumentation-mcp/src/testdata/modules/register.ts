import { register } from 'node:module';
import { McpInstrumentation } from '../../index.ts';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
Object.assign(globalThis, { mcpInstrumentation: new McpInstrumentation() });
