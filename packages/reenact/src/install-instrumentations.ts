import { register as registerModuleHook } from 'node:module';
import { AiSdkInstrumentation } from '@reenact/instrumentation-ai-sdk';
import { AnthropicInstrumentation } from '@reenact/instrumentation-anthropic';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { McpInstrumentation } from '@reenact/instrumentation-mcp';
import { OpenAIInstrumentation } from '@reenact/instrumentation-openai';
import type { JoinedReplay } from '@reenact/replay';
import { register as registerSyncHook, supportsSyncHooks } from 'import-in-the-middle/register-hooks.mjs';

/** Libraries whose ES module copies are patched on import; everything else loads untouched. */
const libraries = [
  '@anthropic-ai/sdk',
  'openai',
  'undici',
  'ai',
  '@ai-sdk/provider-utils',
  /\/@modelcontextprotocol\/(?:sdk\/dist\/esm\/(?:client|server)\/index\.js|(?:client|server)\/dist\/index\.mjs)$/,
];

/** Packages that are patched when they are loaded. */
export const PATCHED_PACKAGES: readonly string[] = [
  '@anthropic-ai/sdk',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/sdk',
  '@modelcontextprotocol/server',
  'openai',
];

/**
 * Patches HTTP, and every supported library that the app loads from now on, ES modules and CommonJS. `listening`: told in a
 * replay where a server of this process listens.
 */
export function installInstrumentations(listening: JoinedReplay['listening'] | undefined): void {
  // The synchronous hook runs on the app's own thread; older patch releases of Node need the loader thread.
  if (supportsSyncHooks()) registerSyncHook({ include: libraries });
  else registerModuleHook('import-in-the-middle/hook.mjs', import.meta.url, { data: { include: libraries } });
  // After the guard of a replay, so that what is answered from the recording never gets to it.
  new HttpInstrumentation(
    listening === undefined
      ? {}
      : {
          onListening: ({ protocol, address, port }) =>
            listening({ protocol, address, ...(port === undefined ? {} : { port }) }),
        },
  ).enable();
  new AiSdkInstrumentation().enable();
  new OpenAIInstrumentation().enable();
  new AnthropicInstrumentation().enable();
  new McpInstrumentation().enable();
}
