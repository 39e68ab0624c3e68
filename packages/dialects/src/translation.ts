import type { PlainValue } from '@reenact/otlp';
import type { GenAiMessage, GenAiPart } from '@reenact/trace-model';
import type { Attributes } from './attributes.ts';
import { TRANSLATED_JSON_CHARACTERS_MAX } from './limits.ts';

/** JSON in an attribute, where it is JSON and not too long to be read; undefined otherwise. */
export function parsedJson(value: PlainValue | undefined): unknown {
  if (typeof value !== 'string') return value ?? undefined;
  if (value.length > TRANSLATED_JSON_CHARACTERS_MAX) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** A text that is there and not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A number, also one that was written as text. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** A picture, sound or document by its address, which may hold it. */
export function mediaPart(modality: string, address: string): GenAiPart {
  const inline = /^data:([^;,]*)[^,]*,/.exec(address);
  if (inline === null) return { type: 'uri', modality, uri: address };
  return { type: 'blob', modality, mime_type: inline[1] ?? '', content: address.slice(inline[0].length) };
}

/** The attributes of one span while what the conventions would have said is added to them. What they say in those words themselves stays. */
export class Translation {
  readonly attributes: Map<string, PlainValue>;

  constructor(attributes: Attributes) {
    this.attributes = new Map(attributes);
  }

  /** The first of these that is there. */
  get(...keys: readonly string[]): PlainValue | undefined {
    for (const key of keys) {
      const value = this.attributes.get(key);
      if (value !== undefined && value !== null) return value;
    }
    return undefined;
  }

  text(...keys: readonly string[]): string | undefined {
    return textOf(this.get(...keys));
  }

  json(...keys: readonly string[]): unknown {
    return parsedJson(this.get(...keys));
  }

  add(key: string, value: PlainValue | undefined): void {
    if (value !== undefined && value !== null && this.get(key) === undefined) this.attributes.set(key, value);
  }

  /** What is said in words of the conventions, and yet not as they say it, is said anew. */
  replace(key: string, value: PlainValue | undefined): void {
    if (value !== undefined) this.attributes.set(key, value);
  }

  addText(key: string, value: unknown): void {
    this.add(key, textOf(value));
  }

  addNumber(key: string, value: unknown): void {
    this.add(key, numberOf(value));
  }

  /** Members that were sent along as JSON, by the attribute that each is. */
  addNumbers(members: Readonly<Record<string, unknown>>, keys: Readonly<Record<string, string>>): void {
    for (const [member, key] of Object.entries(keys)) {
      if (Object.hasOwn(members, member)) this.addNumber(key, members[member]);
    }
  }

  /** Nothing is said of messages where there are none: that is what it means that they were not captured. */
  addMessages(key: string, messages: readonly GenAiMessage[]): void {
    if (messages.length > 0) this.addJson(key, messages);
  }

  addJson(key: string, value: unknown): void {
    if (value !== undefined && this.get(key) === undefined) this.attributes.set(key, JSON.stringify(value));
  }
}
