import type { IncomingHttpHeaders } from 'node:http';

/** Whether whoever asks can read an answer that is packed by gzip (RFC 9110, 12.5.3): it is named, and not with a weight of nothing. */
export function acceptsGzip(headers: IncomingHttpHeaders): boolean {
  const codings = String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',');
  return codings.some((coding) => {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim());
    return name === 'gzip' && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
