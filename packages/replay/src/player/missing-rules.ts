import { PLACEHOLDER_START, redactionRuleIds, rulesIn } from '@reenact/instrumentation';
import type { Crossing, JsonDiff } from '@reenact/trace-model';
import type { Wording } from './divergence-wording.ts';

/**
 * The same words, with what to do first where a redacted place of the recorded input differs and the rule that found it is not in force in this
 * process: the agent may have been called with the very same.
 */
export function withMissingRules(words: Wording, { input }: Crossing, { entries }: JsonDiff): Wording {
  if (!entries.some(({ recorded }) => recorded?.includes(PLACEHOLDER_START) === true)) return words;
  const inForce = new Set(redactionRuleIds());
  const missing = rulesIn(input?.data ?? '').filter((rule) => !inForce.has(rule));
  if (missing.length === 0) return words;
  const named =
    missing.length === 1 ? `the rule ${missing[0]}, which is` : `the rules ${missing.join(', ')}, which are`;
  return {
    message: words.message,
    next: `The recorded value was redacted by ${named} not in force in this process: configure redaction as it was recorded, before anything is called. ${words.next}`,
  };
}
