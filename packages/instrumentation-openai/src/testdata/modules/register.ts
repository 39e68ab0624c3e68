import { register } from 'node:module';
import { OpenAIInstrumentation } from '../../index.ts';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
Object.assign(globalThis, { openaiInstrumentation: new OpenAIInstrumentation() });
