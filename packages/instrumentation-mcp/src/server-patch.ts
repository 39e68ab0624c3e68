import { guarded, positionReady, reportFailure, runInContext } from '@reenact/instrumentation';
import type { McpOnRequest } from './internal-types.ts';
import { contextOfMeta, hidePosition } from './meta-context.ts';
import { patchedMembers } from './patched-members.ts';

/** `_onrequest` of a server: handlers run in the trace, and at the position of a replay, that came with the request. */
function joinedOnRequest(original: McpOnRequest<object>): McpOnRequest<object> {
  return function _onrequest(this: object, ...parameters: Parameters<McpOnRequest<object>>): unknown {
    const context = guarded('joining a trace', () => contextOfMeta(parameters[0]), undefined);
    guarded('hiding a position', () => hidePosition(parameters[0]), undefined);
    if (context === undefined) return original.apply(this, parameters);
    const handle = (): unknown => runInContext(context, () => original.apply(this, parameters));
    const ready = positionReady(context);
    return ready === undefined ? handle() : void ready.then(handle);
  };
}

/** Whether an object has the member of a server that this package patches. */
export function isPatchableServer(target: unknown): target is object {
  return typeof target === 'object' && target !== null && typeof Reflect.get(target, '_onrequest') === 'function';
}

/** Lets a server class, or one server, join the traces of its callers. Returns how to undo it. */
export function patchServer(target: unknown): () => void {
  if (!isPatchableServer(target)) {
    reportFailure('patching the MCP SDK', 'its server is shaped differently; this version is not covered');
    return () => undefined;
  }
  if (patchedMembers.isPatched(Reflect.get(target, '_onrequest'))) return () => undefined;
  return patchedMembers.patch<McpOnRequest<object>>(target, '_onrequest', joinedOnRequest);
}
