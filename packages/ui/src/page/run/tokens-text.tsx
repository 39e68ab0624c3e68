import { shownCount } from '../words/shown-count.ts';
import type { Tokens } from './tokens-inside.ts';

/** Tokens that went in and came out. */
export function TokensText({ tokens: { inputTokens, outputTokens } }: { readonly tokens: Tokens }) {
  return (
    <span class="tokens">
      {shownCount(inputTokens)}→{shownCount(outputTokens)} <span class="unit">tokens</span>
    </span>
  );
}
