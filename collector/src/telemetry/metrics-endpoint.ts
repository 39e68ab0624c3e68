import type { IncomingMessage, ServerResponse } from 'node:http';
import { describeError, toReenactError } from '@reenact/trace-model';
import type { Authorizer } from '../access/authorizer.ts';
import { credentialsOf } from '../access/credentials-of.ts';
import { statusOf } from '../http-status.ts';
import type { MetricsSources } from './collector-metrics.ts';
import { renderMetrics } from './render-metrics.ts';

/** Where Prometheus fetches. */
export const METRICS_PATH = '/metrics';

/** Answers `GET /metrics`, and `HEAD` without what it holds; a token needs the scope `read`. Never rejects. */
export async function answerMetrics(
  authorizer: Authorizer,
  gather: () => Promise<MetricsSources>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  try {
    authorizer.authorize(credentialsOf(request.headers), 'read');
    const body = renderMetrics(await gather());
    response.writeHead(200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.end(body);
  } catch (thrown) {
    const error = toReenactError(thrown);
    const { status, headers } = statusOf(error);
    response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8' });
    response.end(describeError(error));
  }
}
