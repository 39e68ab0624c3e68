import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { admit, installOwnedFetch, type Members } from '@reenact/instrumentation';
import * as plain from 'ai';
import type { WrapScope } from '../internal-types.ts';
import { patchAgents, registerErrorClasses, wrappedExports } from '../wrapped-exports.ts';

const scope: WrapScope = { admit, capture: 'full', toolEffects: {}, sdk: 'ai@7.0.173', isActive: () => true };

/** The package as an app sees it that imports it behind the instrumentation. */
export const ai: typeof plain = {
  ...plain,
  ...Object.fromEntries(wrappedExports(plain as unknown as Members, scope)),
};

/** Sets up what the instrumentation sets up. Returns how to undo it. */
export function setUpSdk(): () => void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  globalThis.AI_SDK_LOG_WARNINGS = false;
  registerErrorClasses(plain as unknown as Members);
  const undos = [installOwnedFetch(), patchAgents(plain as unknown as Members, scope)];
  return () => {
    for (const undo of undos) undo();
    context.disable();
  };
}
