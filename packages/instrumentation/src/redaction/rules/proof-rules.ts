import type { PatternRule } from './redaction-rule.ts';

/** One look for all: the sign behind a name is rarer than what names begin with. */
const proofHint = {
  hint: '(?:mac|response|signature)=\\\\{0,7}"[A-Za-z0-9%+/]{8}',
  isInProse: true,
  hintCharacter: { character: '=', charactersBefore: [3, 8, 9], ahead: '"\\\\' },
} as const;

/** A parameter in quotes by which a header proves that its sender knows a key; in a text in which nothing else tells that header. */
function parameter(name: string, value: string): PatternRule {
  return {
    id: 'signed-proof',
    why: 'Whoever has it can send the same request again, or try passwords against it.',
    after: `\\b${name}=\\\\{0,7}"`,
    pattern: `${value}(?=\\\\{0,7}")`,
    needs: [`${name}=`],
    ...proofHint,
  };
}

/** What `Digest`, `Hawk` and `OAuth` put behind their names in a header. */
export const PROOF_RULES: readonly PatternRule[] = [
  parameter('response', '(?:[0-9a-f]{64}|[0-9a-f]{32})'),
  parameter('mac', '(?:[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{27}=)'),
  parameter('oauth_signature', '[A-Za-z0-9%+/]{20,400}={0,2}'),
];
