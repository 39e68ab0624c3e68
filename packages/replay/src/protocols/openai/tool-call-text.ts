import type { EditedToolCall } from '../model-protocol.ts';

/** Arguments as the model writes them: a text of JSON. */
export function argumentsText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

/** The id of a call: its own, else that of the recorded call at the same place, else one made up, always the same. */
export function toolCallId(call: EditedToolCall, recordedId: unknown, index: number): string {
  return call.id ?? (typeof recordedId === 'string' && recordedId !== '' ? recordedId : `call_edited_${index + 1}`);
}
