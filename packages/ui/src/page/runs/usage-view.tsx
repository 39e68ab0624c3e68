import type { RunFilters, RunQuery, UsageAnswer } from '@reenact/trace-model/collector-api';
import { costText, counted } from '@reenact/trace-model/words';
import { useContext, useState } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { useAnswer } from '../reading/use-answer.ts';
import { AskedFailure } from '../shown/asked-failure.tsx';
import { shownCount } from '../words/shown-count.ts';

function ModelBars({ usage }: { readonly usage: UsageAnswer }) {
  const tokensMax = Math.max(1, ...usage.models.map((model) => model.inputTokens + model.outputTokens));
  return (
    <table class="bars">
      <tbody>
        {usage.models.map(({ model, provider, calls, inputTokens, outputTokens }) => (
          <tr key={`${provider}/${model}`}>
            <th scope="row">{model ?? 'unnamed'}</th>
            <td class="faint">{provider}</td>
            <td class="wide">
              <span class="bar in" style={{ width: `${(inputTokens / tokensMax) * 100}%` }} />
              <span class="bar out" style={{ width: `${(outputTokens / tokensMax) * 100}%` }} />
            </td>
            <td>
              {shownCount(inputTokens)}→{shownCount(outputTokens)} tokens
            </td>
            <td>{counted(calls, 'call')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Usage({ filters }: { readonly filters: RunFilters }) {
  const collector = useContext(CollectorContext);
  const [asked, again] = useAnswer(JSON.stringify(filters), () => collector.sumUsage(filters));
  if (asked.state === 'waiting') return <p class="faint">Adding up …</p>;
  if (asked.state === 'failed') return <AskedFailure asked={asked} onAgain={again} />;
  const { answer } = asked;
  return (
    <>
      <p>
        {counted(answer.runs, 'run')} · {shownCount(answer.inputTokens)}→{shownCount(answer.outputTokens)} tokens
        {answer.cost === undefined ? null : <> · {costText(answer.cost)}</>}
      </p>
      <ModelBars usage={answer} />
    </>
  );
}

/** What the models of the listed runs used, added up once somebody wants to know. */
export function UsageView({ query }: { readonly query: RunQuery }) {
  const [isOpen, setIsOpen] = useState(false);
  const { limit: _limit, cursor: _cursor, complete: _complete, ...filters } = query;
  return (
    <details class="usage" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Tokens and cost of all of these runs</summary>
      {isOpen ? <Usage filters={filters} /> : null}
    </details>
  );
}
