import { register } from 'node:module';
import { HttpInstrumentation } from '../../index.ts';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
Object.assign(globalThis, { httpInstrumentation: new HttpInstrumentation({ inbound: false }) });
