import { ATTR_GEN_AI_OPERATION_NAME } from '@reenact/semconv/gen-ai';
import { type Crossing, canonicalJson, type Exchange } from '@reenact/trace-model';
import type { NamedPart } from '../protocols/model-protocol.ts';
import { protocolOf } from '../protocols/protocol-of.ts';
import { answerBody } from '../protocols/response-body.ts';

/** Shorter ones are words and numbers as likely, which stand in values for themselves. */
const DRAWN_CHARACTERS_MIN = 9;

/** Providers draw ids of letters and digits; what a program calls its things is mostly one or the other. */
function looksDrawn(id: string): boolean {
  return id.length >= DRAWN_CHARACTERS_MIN && /\d/.test(id) && /[a-z]/i.test(id);
}

/** Other services have addresses that end as those of models do. */
function isModelCall({ kind, attributes }: Crossing): boolean {
  return kind === 'model' || attributes.has(ATTR_GEN_AI_OPERATION_NAME);
}

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

/** Each part with the first of the recorded ones that says the same: what a provider thought in between stands in one of them only. */
function pairsOf(recorded: readonly NamedPart[], live: readonly NamedPart[]): [live: string, recorded: string][] {
  const left = recorded.map(({ id, says }) => ({ id, text: canonicalJson(says) }));
  return live.flatMap(({ id, says }): [string, string][] => {
    const text = canonicalJson(says);
    const at = left.findIndex((part) => part.text === text);
    const [found] = at === -1 ? [] : left.splice(at, 1);
    return found === undefined ? [] : [[id, found.id]];
  });
}

/**
 * Ids that live model answers gave to tool calls and the like. A provider draws new ones for each answer, and requests that follow name them:
 * where a part of an answer says the same as a recorded one, its id is read as that one's. Nothing else of a value is: an id that does not look
 * drawn, or that stands for several, stands for itself.
 */
export class AnsweredIds {
  private readonly recordedOf = new Map<string, string>();
  /** Those that were given several times, for different parts. */
  private readonly unclear = new Set<string>();
  private texts: ReadonlyMap<string, string> = new Map();
  private pattern: RegExp | undefined;

  /** Learns of a live answer; of any other crossing, and of what an answer says otherwise, nothing. */
  learn(recorded: Crossing, exchanges: readonly Exchange[]): void {
    const live = isModelCall(recorded) ? partsOf(exchanges.at(-1)) : [];
    if (live.length === 0) return;
    for (const [id, known] of pairsOf(partsOf(recorded.exchanges.at(-1)), live)) this.pair(id, known);
    const pairs = [...this.recordedOf].filter(([id, known]) => id !== known && !this.unclear.has(id));
    this.texts = new Map(
      pairs.flatMap(([id, known]) => quoted(id).map((text, form) => [text, quoted(known)[form] ?? text])),
    );
    this.pattern = pairs.length === 0 ? undefined : new RegExp([...this.texts.keys()].map(escaped).join('|'), 'g');
  }

  private pair(id: string, known: string): void {
    if (!looksDrawn(id)) return;
    const before = this.recordedOf.get(id);
    if (before !== undefined && before !== known) this.unclear.add(id);
    this.recordedOf.set(id, known);
  }

  /** The recorded id that one stands for; the id itself where it stands for none. */
  recorded(id: string): string {
    return this.unclear.has(id) ? id : (this.recordedOf.get(id) ?? id);
  }

  /** A text of JSON with each such id as the recorded one. All at once: one may be another's recorded id. */
  inText(text: string): string {
    return this.pattern === undefined ? text : text.replace(this.pattern, (found) => this.texts.get(found) ?? found);
  }
}
