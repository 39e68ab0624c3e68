import { type Crossing, canonicalJson, type Exchange } from '@reenact/trace-model';
import type { NamedPart } from '../protocols/model-protocol.ts';
import { protocolOf } from '../protocols/protocol-of.ts';
import { answerBody } from '../protocols/response-body.ts';

function partsOf(exchange: Exchange | undefined): readonly NamedPart[] {
  const body = exchange === undefined ? undefined : answerBody(exchange);
  return body === undefined ? [] : (protocolOf(exchange)?.namedParts(body) ?? []);
}

function quoted(id: string): readonly string[] {
  const text = JSON.stringify(id);
  // As it stands in JSON, and in JSON that is a text of JSON.
  return [text, JSON.stringify(text).slice(1, -1)];
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/**
 * Ids that live model answers gave to tool calls and the like. A provider makes new ones for each answer, and requests that follow name them:
 * where an answer says the same as the recorded one, such an id is read as the recorded one at its place.
 */
export class AnsweredIds {
  private readonly recordedOf = new Map<string, string>();
  private readonly texts = new Map<string, string>();
  private pattern: RegExp | undefined;

  /** Learns of a live answer; of any other crossing, and of an answer that says something else, nothing. */
  learn(recorded: Crossing, exchanges: readonly Exchange[]): void {
    const parts = partsOf(exchanges.at(-1));
    const before = parts.length === 0 ? [] : partsOf(recorded.exchanges.at(-1));
    for (const [index, { id, says }] of parts.entries()) {
      const known = before[index];
      if (known === undefined || known.id === id || canonicalJson(known.says) !== canonicalJson(says)) continue;
      this.recordedOf.set(id, known.id);
      const forms = quoted(known.id);
      for (const [form, text] of quoted(id).entries()) this.texts.set(text, forms[form] as string);
      this.pattern = undefined;
    }
  }

  /** The recorded id that one stands for; the id itself where it stands for none. */
  recorded(id: string): string {
    return this.recordedOf.get(id) ?? id;
  }

  /** A text of JSON with each such id as the recorded one. All at once: one may be another's recorded id. */
  inText(text: string): string {
    if (this.texts.size === 0) return text;
    this.pattern ??= new RegExp([...this.texts.keys()].map(escaped).join('|'), 'g');
    return text.replace(this.pattern, (found) => this.texts.get(found) ?? found);
  }
}
