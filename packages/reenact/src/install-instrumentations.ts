import { register as registerModuleHook } from 'node:module';
import { OpenAIInstrumentation } from '@reenact/instrumentation-openai';
import { register as registerSyncHook, supportsSyncHooks } from 'import-in-the-middle/register-hooks.mjs';

/** Libraries whose ES module copies are patched on import; everything else loads untouched. */
const libraries = ['openai'];

/** Patches every supported library that the app loads from now on, ES modules and CommonJS. */
export function installInstrumentations(): void {
  // The synchronous hook runs on the app's own thread; older patch releases of Node need the loader thread.
  if (supportsSyncHooks()) registerSyncHook({ include: libraries });
  else registerModuleHook('import-in-the-middle/hook.mjs', import.meta.url, { data: { include: libraries } });
  new OpenAIInstrumentation().enable();
}
