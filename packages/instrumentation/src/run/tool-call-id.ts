import { type Context, context as contexts, createContextKey } from '@opentelemetry/api';
import { requireFunction } from '../host/require-function.ts';

const TOOL_CALL_ID_KEY = createContextKey('reenact.tool-call-id.1');

/**
 * Runs `fn` so that tool boundaries called directly inside it carry this tool call id, as the model gave it. A crossing
 * inside does not hand the id on to the crossings nested in it. Returns and throws what `fn` does, and ReenactError
 * `bad-argument` where that is no function.
 */
export function withToolCallId<Result>(toolCallId: string, fn: () => Result): Result {
  requireFunction('withToolCallId(toolCallId, fn)', fn);
  return contexts.with(contexts.active().setValue(TOOL_CALL_ID_KEY, toolCallId), fn);
}

/** The tool call id set around this context, or undefined. */
export function toolCallIdOf(context: Context): string | undefined {
  return context.getValue(TOOL_CALL_ID_KEY) as string | undefined;
}

/** The same context without a tool call id, for what is nested inside the crossing that took it. */
export function withoutToolCallId(context: Context): Context {
  return toolCallIdOf(context) === undefined ? context : context.deleteValue(TOOL_CALL_ID_KEY);
}
