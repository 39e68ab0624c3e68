import {
  type Crossing,
  type Exchange,
  isTree,
  type Outcome,
  type Payload,
  payloadOf,
  payloadTree,
} from '@reenact/trace-model';
import { recordedRequestTree } from '../equality/request-comparison.ts';
import { EVIDENCE_CHARACTERS_MIN } from '../limits.ts';
import { type IgnoredPath, ignoredValues, type ResolvedIgnore } from '../plan/ignored-fields.ts';
import { eventBlock, eventJson } from '../protocols/event-blocks.ts';
import type { AnswerBody } from '../protocols/model-protocol.ts';
import { answerBody, withAnswerBody } from '../protocols/response-body.ts';
import { payloadOfTree } from './outcome-payloads.ts';

/** Another text of the same length and kind of characters, always the same one for the same text. */
function otherText(text: string): string {
  return text.replace(/[0-9a-zA-Z]/g, (character) => {
    if (character === '9') return '0';
    if (character === 'z') return 'a';
    if (character === 'Z') return 'A';
    return String.fromCharCode(character.charCodeAt(0) + 1);
  });
}

/** What of a crossing an ignored path leads into. */
function heldBy({ input, exchanges }: Crossing, { of }: IgnoredPath): unknown[] {
  if (of === 'request') return exchanges.map(recordedRequestTree);
  return input?.data === undefined ? [] : [payloadTree(input)];
}

/**
 * The other values that an audit puts in the place of what the plan ignores, wherever an outcome that is served holds them:
 * an agent that does not look at them goes the same way.
 */
export class PerturbedValues {
  private readonly texts = new Map<string, string>();
  private readonly numbers = new Map<number, number>();

  constructor(ignores: readonly ResolvedIgnore[]) {
    for (const { path, matched } of ignores) {
      for (const crossing of matched)
        for (const tree of heldBy(crossing, path)) for (const value of ignoredValues(tree, path)) this.add(value);
    }
  }

  private add(value: unknown): void {
    if (typeof value === 'string' && value.length >= EVIDENCE_CHARACTERS_MIN) this.texts.set(value, otherText(value));
    if (typeof value === 'number' && String(value).length >= EVIDENCE_CHARACTERS_MIN)
      this.numbers.set(value, value + 1);
    if (Array.isArray(value)) for (const item of value) this.add(item);
    else if (isTree(value)) for (const item of Object.values(value)) this.add(item);
  }

  private text(text: string): string {
    let changed = text;
    for (const [from, to] of this.texts) changed = changed.replaceAll(from, to);
    return changed;
  }

  private tree(tree: unknown): unknown {
    if (typeof tree === 'string') return this.text(tree);
    if (typeof tree === 'number') return this.numbers.get(tree) ?? tree;
    if (Array.isArray(tree)) return tree.map((item) => this.tree(item));
    if (!isTree(tree)) return tree;
    return Object.fromEntries(Object.entries(tree).map(([key, item]) => [key, key === '$' ? item : this.tree(item)]));
  }

  private payload(payload: Payload): Payload {
    return payload.data === undefined || payload.format === 'base64' ? payload : this.changed(payload);
  }

  private changed(payload: Payload): Payload {
    if (payload.format === 'text') return payloadOf('text', this.text(payload.data ?? ''));
    return payloadOfTree(this.tree(payloadTree(payload)));
  }

  private outcome(outcome: Outcome): Outcome {
    const chunks =
      'chunks' in outcome ? outcome.chunks.map((chunk) => ({ ...chunk, value: this.payload(chunk.value) })) : [];
    switch (outcome.type) {
      case 'pending':
        return 'chunks' in outcome ? { ...outcome, chunks } : outcome;
      case 'returned':
        return outcome.value === undefined ? outcome : { ...outcome, value: this.payload(outcome.value) };
      case 'threw':
        return outcome.error === undefined ? outcome : { ...outcome, error: this.payload(outcome.error) };
      case 'ended':
      case 'failed':
      case 'aborted':
        return { ...outcome, chunks };
    }
  }

  private body(body: AnswerBody): AnswerBody {
    if (body.type === 'json') return { type: 'json', body: this.tree(body.body) };
    const blocks = body.blocks.map((block) => {
      const json = eventJson(block);
      return json === undefined ? block : eventBlock(block.atUs, JSON.stringify(this.tree(json)), block.event);
    });
    return { type: 'events', blocks };
  }

  private exchange(exchange: Exchange): Exchange {
    const body = answerBody(exchange);
    return body === undefined ? exchange : withAnswerBody(exchange, this.body(body));
  }

  /** The crossing with the other values in its outcome; the very same one where it holds none. */
  served(recorded: Crossing): Crossing {
    const held = JSON.stringify([recorded.outcome, recorded.exchanges.map(({ response }) => response?.chunks)]);
    const isHeld =
      [...this.texts.keys()].some((text) => held.includes(text)) ||
      [...this.numbers.keys()].some((number) => held.includes(String(number)));
    if (!isHeld) return recorded;
    return {
      ...recorded,
      outcome: this.outcome(recorded.outcome),
      exchanges: recorded.exchanges.map((exchange) => this.exchange(exchange)),
    };
  }
}
