import { register } from 'node:module';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '../../index.ts';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
Object.assign(globalThis, { httpInstrumentation: new HttpInstrumentation({ inbound: false }) });
