import type { EditedToolCall } from '../model-protocol.ts';

/** Arguments as the model writes them: a text of JSON. */
export function argumentsText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

/** The id of a call: its own, else that of the recorded call at the same place, else one made up, always the same. */
export function toolCallId(call: EditedToolCall, recordedId: unknown, index: number): string {
  return call.id ?? (typeof recordedId === 'string' && recordedId !== '' ? recordedId : `call_edited_${index + 1}`);
}

/** A text cut into at most so many pieces of about equal length, never inside a character; none are empty. */
export function textPieces(text: string, count: number): string[] {
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / Math.max(1, count)));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(''));
  return pieces;
}
