import { ReenactError } from '@reenact/trace-model';
import { type JsonPath, parseJsonPath, whyNotInText } from '../recorded/json-path.ts';

/** The parts of a crossing that an edit can name. */
export const EDIT_PARTS = ['$', 'text', 'toolCalls', 'error', 'chunks', 'input'] as const;

/** What an edit changes: a part of the crossing, and the place in it. */
export type EditTarget =
  /** `$`: what the crossing returned; the body of the answer where it is an exchange. */
  | { readonly part: '$' | 'error' | 'input'; readonly path: JsonPath }
  /** The words or the tool calls of a model's answer, in whatever protocol and framing it came. */
  | { readonly part: 'text' | 'toolCalls' }
  /** One chunk of a stream, counted from 0. */
  | { readonly part: 'chunks'; readonly index: number; readonly path: JsonPath };

const pattern = /^(\$|text|toolCalls|error|chunks|input)(?=[.[]|$)/;

function unreadable(text: string, message: string): ReenactError {
  return new ReenactError('bad-plan', message, {
    where: text,
    next: 'Write $.price, text, toolCalls, error, error.message, chunks[3] or input.model; see `reenact docs plan-file`.',
  });
}

function pathOf(text: string, rest: string): JsonPath {
  try {
    return parseJsonPath(`$${rest}`);
  } catch {
    throw unreadable(text, `"${text}" is no JSON path from "${rest}" on.`);
  }
}

/** Reads what an edit changes. Throws ReenactError `bad-plan`. */
export function parseEditTarget(text: string): EditTarget {
  const inText = whyNotInText(text);
  if (inText !== undefined) throw unreadable(text, `${inText}.`);
  const part = pattern.exec(text)?.[1] as EditTarget['part'] | undefined;
  if (part === undefined) {
    throw unreadable(text, `"${text}" names nothing that can be edited: one of ${EDIT_PARTS.join(', ')} comes first.`);
  }
  const path = pathOf(text, text.slice(part.length));
  switch (part) {
    case 'text':
    case 'toolCalls':
      if (path.length > 0) throw unreadable(text, `${part} is edited as a whole; "${text}" names a part of it.`);
      return { part };
    case 'chunks': {
      const [index, ...rest] = path;
      if (typeof index !== 'number') throw unreadable(text, `"${text}" does not say which chunk: write chunks[0].`);
      return { part, index, path: rest };
    }
    case '$':
    case 'error':
    case 'input':
      return { part, path };
  }
}
