import type { CrossingNode } from '@reenact/trace-model/collector-api';
import { costText, counted } from '@reenact/trace-model/words';
import { useMemo } from 'preact/hooks';
import { type Tokens, tokensByAgent } from './tokens-inside.ts';
import { TokensText } from './tokens-text.tsx';

/** As many are named: of more, those who used most. */
const AGENTS_NAMED_MAX = 4;

interface AgentsProps {
  readonly crossings: readonly CrossingNode[];
  readonly inside: ReadonlyMap<string, Tokens>;
}

/** Which agents of a run used its tokens; nothing where it has one. */
export function AgentsView({ crossings, inside }: AgentsProps) {
  const agents = useMemo(() => tokensByAgent(crossings, inside), [crossings, inside]);
  if (agents.length < 2) return null;
  const rest = agents.length - AGENTS_NAMED_MAX;
  return (
    <p class="facts">
      By agent:{' '}
      {agents.slice(0, AGENTS_NAMED_MAX).map(({ agent, ...tokens }, place) => (
        <span key={agent ?? ''} title={counted(tokens.calls, 'model call')}>
          {place === 0 ? '' : ' · '}
          <span class="name">{agent ?? 'outside of agents'}</span> <TokensText tokens={tokens} />
          {tokens.cost === undefined ? null : `, ${costText(tokens.cost)}`}
        </span>
      ))}
      {rest > 0 ? ` · ${counted(rest, 'more agent')}` : ''}
    </p>
  );
}
