import { ReenactError } from '@reenact/trace-model';
import { EDIT_PARTS } from './edit-target.ts';
import type { EditRule, FailRule, Failure } from './plan-schema.ts';

// The part stands behind the first colon that is followed by one; names of crossings hold colons too.
const editPattern = /^(.+?):((?:\$|text|toolCalls|error|chunks|input)(?:[.[](?:"(?:[^"\\]|\\.)*"|[^="])*)?)=(.*)$/s;
const failPattern = /^(.+):(error|timeout|status|truncate)(?:=(.*))?$/s;

function jsonOf(flag: string, text: string, json: string): EditRule['value'] {
  try {
    return JSON.parse(json) as EditRule['value'];
  } catch {
    throw new ReenactError('bad-plan', `${flag} "${text}" does not end in JSON: ${json}`, {
      where: text,
      next: `A text is written with quotation marks: '…="${json.replaceAll('"', '\\"')}"'.`,
    });
  }
}

/** Reads `<selector>:<what>=<json>`. Throws ReenactError `bad-plan`. */
export function parseEditFlag(text: string): EditRule {
  const [, selector, at, json] = editPattern.exec(text) ?? [];
  if (selector === undefined || at === undefined || json === undefined) {
    throw new ReenactError('bad-plan', `--edit "${text}" is not <selector>:<what>=<json>.`, {
      where: text,
      next: `<what> begins with ${EDIT_PARTS.join(', ')}: --edit 'tool:get_quote:$.price=5' or --edit 'model:openai.chat#2:text="No."'.`,
    });
  }
  return { selector, policy: 'edit', at, value: jsonOf('--edit', text, json) };
}

function wholeNumber(text: string, value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new ReenactError('bad-plan', `--fail "${text}" needs a whole number behind the equals sign.`, {
    where: text,
    next: 'Write status=429 or truncate=3.',
  });
}

function failureOf(text: string, word: string, value: string | undefined): Failure {
  switch (word) {
    case 'status':
      return { type: 'status', status: wholeNumber(text, value ?? '') };
    case 'truncate':
      return { type: 'truncate', afterChunks: wholeNumber(text, value ?? '') };
    case 'timeout':
      if (value === undefined) return { type: 'timeout' };
      break;
    case 'error':
      if (value === undefined) return { type: 'error' };
      return { type: 'error', error: jsonOf('--fail', text, value) as Extract<Failure, { type: 'error' }>['error'] };
  }
  throw notAFailure(text);
}

function notAFailure(text: string): ReenactError {
  return new ReenactError('bad-plan', `--fail "${text}" is not <selector>:<failure>.`, {
    where: text,
    next: 'The failure is one of: error, error={"class":"BrokerError","message":"…","code":"…"}, timeout, status=429, truncate=3.',
  });
}

/** Reads `<selector>:<failure>`. Throws ReenactError `bad-plan`. */
export function parseFailFlag(text: string): FailRule {
  const [, selector, word, value] = failPattern.exec(text) ?? [];
  if (selector === undefined || word === undefined) throw notAFailure(text);
  return { selector, policy: 'fail', with: failureOf(text, word, value) };
}
