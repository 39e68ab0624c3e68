import { bodyOfBytes, bytesOfBody, type MessageBody, type SentBody } from './message-body.ts';

/** Headers of an input: by name where they are compared, in pairs where they are kept to be sent again. */
type InputHeaders = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

/** The input of an HTTP crossing, as the canonical policies `http-request/2` and, inbound, `http-request/1` read it. */
export interface HttpRequestInput {
  readonly method: string;
  readonly url: string;
  readonly contentType?: string;
  /** Outbound: those that are compared. Inbound: what is sent again, and not compared. */
  readonly headers?: InputHeaders;
  /** Absent on a request without a body, and while the body is still being sent. */
  readonly body?: MessageBody;
  /** Inbound only: its client left before it had sent all of the body, which ends where it did. Never compared. */
  readonly isOpen?: true;
  /** Outbound only: it could not be read further to be sent, and the request failed. */
  readonly isBroken?: true;
}

const boundaryParameter = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i;

/** Clients draw the boundary of a multipart body anew for every request: it stands for nothing. */
function withoutBoundary(contentType: string, body: MessageBody | undefined): [string, MessageBody | undefined] {
  const match = /^multipart\//i.test(contentType) ? boundaryParameter.exec(contentType) : null;
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) return [contentType, body];
  const bytes = body === undefined ? undefined : bytesOfBody(body);
  const plain =
    bytes === undefined
      ? body
      : bodyOfBytes(Buffer.from(bytes.toString('latin1').replaceAll(boundary, 'boundary'), 'latin1'));
  return [contentType.replace(boundaryParameter, ''), plain];
}

/** Puts a request's input together. `url` is recorded as it is given. */
export function requestInput(
  request: {
    readonly method: string;
    readonly url: string;
    readonly contentType: string | undefined;
    readonly headers?: InputHeaders;
  },
  { body, isBroken }: SentBody,
): HttpRequestInput {
  const { method, url, headers } = request;
  const [contentType, plain] = withoutBoundary(request.contentType ?? '', body);
  const isEmpty = plain === undefined || ('text' in plain && plain.text === '');
  return {
    method,
    url,
    ...(contentType === '' ? {} : { contentType }),
    ...(headers === undefined ? {} : { headers }),
    ...(isEmpty ? {} : { body: plain }),
    ...(isBroken === true ? { isBroken } : {}),
  };
}
