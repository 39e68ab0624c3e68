import { ReenactError } from '@reenact/trace-model';

/** Says that a connection was closed within a request, as where its sender was ended or waited too long. */
export function cutOffRequest(): ReenactError {
  return new ReenactError('bad-request', 'The connection was closed within a request.', {
    next: 'Where that goes on, give its sender more time (OTEL_EXPORTER_OTLP_TIMEOUT), and look at what stands between.',
  });
}
