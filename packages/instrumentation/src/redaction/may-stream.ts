import type { TextPart } from './redact-documents.ts';
import type { Redactor } from './redactor.ts';

/** Collects the texts that run through events, by their places: a quick pass that may join more than belongs together. */
class Streams {
  readonly texts = new Map<string, string>();
  private readonly last = new Map<string, string>();

  add(place: string, text: string): void {
    // What is the same in every event, an id or a model's name, is no text in pieces.
    if (text.length > 8 && this.last.get(place) === text) return;
    this.last.set(place, text);
    this.texts.set(place, (this.texts.get(place) ?? '') + text);
  }

  walk(value: unknown, place: string): void {
    if (typeof value === 'string') {
      this.add(place, value);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const { index, output_index: output, content_index: content, item_id: item } = value as Record<string, unknown>;
    const here = `${place}${index ?? ''}${output ?? ''}${content ?? ''}${item ?? ''}`;
    for (const key in value) this.walk((value as Record<string, unknown>)[key], `${here}/${key}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether a secret may run through the parts of a text, none of which holds one. Never throws. */
export function mayStream(redactor: Redactor, text: string, parts: readonly TextPart[]): boolean {
  if (parts.length < 2) return false;
  const streams = new Streams();
  for (const { start, end, isPlain } of parts) {
    const part = text.slice(start, end);
    streams.walk(isPlain === true ? part : parsed(part), '');
  }
  return [...streams.texts.values()].some((whole) => redactor.mayHold(whole));
}
