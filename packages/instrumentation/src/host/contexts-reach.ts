import { type Context, context as contexts, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';
import { registeredApi } from './registered-api.ts';

const probe: Context = ROOT_CONTEXT.setValue(createContextKey('reenact.probe.1'), true);
const isInNone = (): boolean => contexts.active() === ROOT_CONTEXT;

/** What was found last, and of which: asked at every crossing, and another only where somebody has set up others, or taken them away. */
let known: { readonly api: unknown; readonly manager: unknown; readonly isReaching: boolean } | undefined;

/** Whether what is called in a context of OpenTelemetry's finds it there: not where nobody provides them, or for another version of the API only. */
export function contextsReach(): boolean {
  const api = registeredApi(globalThis);
  const manager = api?.context;
  if (known === undefined || known.api !== api || known.manager !== manager)
    known = { api, manager, isReaching: !contexts.with(probe, isInNone) };
  return known.isReaching;
}
