import { counted, humanDuration } from '@reenact/trace-model/words';
import { LongText } from './long-text.tsx';
import type { Exchange } from './span-details.ts';

type Chunk = NonNullable<Exchange['response']>['chunks'][number];

function bodyText(chunks: readonly Chunk[]): string {
  return chunks.map(([, data]) => (typeof data === 'string' ? data : `[base64] ${data.base64}\n`)).join('');
}

function requestText({ body }: Exchange['request']): string | undefined {
  if (body === undefined) return undefined;
  if ('sameAs' in body) return 'The request body is the input above, byte for byte.';
  return 'text' in body ? body.text : `[base64] ${body.base64}`;
}

function Headers({ headers }: { readonly headers: readonly (readonly [string, string])[] }) {
  return <LongText text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')} />;
}

function conclusion({ response }: Exchange): string {
  if (response === undefined) return 'no answer';
  const { status, endAfterUs, chunks, end } = response;
  const ended = end === 'complete' ? '' : `, ${end === 'open' ? 'not read to its end' : end}`;
  return `${status} in ${humanDuration(endAfterUs / 1000)}, ${counted(chunks.length, 'chunk')}${ended}`;
}

/** One attempt on the wire. */
export function ExchangeView({ exchange }: { readonly exchange: Exchange }) {
  const { request, response, error, attempt } = exchange;
  const sent = requestText(request);
  return (
    <details class="exchange">
      <summary>
        {attempt > 0 ? <span class="badge">attempt {attempt + 1}</span> : null} {request.method} {request.url} →{' '}
        <strong>{conclusion(exchange)}</strong>
      </summary>
      <h3>Request</h3>
      <Headers headers={request.headers} />
      {sent === undefined ? null : <LongText text={sent} />}
      {response === undefined ? null : (
        <>
          <h3>
            Response, headers after {humanDuration(response.headersAfterUs / 1000)}
            {response.cut === undefined ? '' : `; of the body only its digest is kept: ${response.cut.bytes} bytes`}
          </h3>
          <Headers headers={response.headers} />
          <LongText text={bodyText(response.chunks)} />
        </>
      )}
      {error === undefined ? null : (
        <>
          <h3>Failed with</h3>
          <LongText text={JSON.stringify(error)} />
        </>
      )}
    </details>
  );
}
