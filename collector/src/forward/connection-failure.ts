/** What grpc-js puts behind a failure: with it each try would have a reason of its own. */
const TIME = / \(\d{4}-\d\d-\d\dT[\d:.]+Z\)/;

/** OpenSSL has what failed between numbers of its threads and places in its source. */
const OPENSSL = /(?:[0-9A-F]+:)?error:[0-9A-F]+:SSL routines:[^:]*:([^:]*):.*/s;

/** What Node.js advises to somebody who starts it, of which an operator knows nothing; `caFile` stands instead of all of these. */
const NODE_ADVICE = /; if the root CA is installed locally.*/s;

const NO_TLS = /wrong version number|packet length too long|http request/;
const WANTS_CERTIFICATE = /alert (handshake failure|unknown ca|.*certificate)/;
const UNKNOWN_AUTHORITY = /unable to (verify|get .*issuer)|self-signed/;
/** Of a connection that was closed without a word, the last as grpc-js says it. */
const CLOSED = /ECONNRESET|EPIPE|socket hang up|socket disconnected|Failed to connect/;

/** What kept a request from being answered, in words that are the same each time, and what to look at. */
export function connectionFailure(said: string, isEncrypted: boolean): string {
  const text = said.replace(TIME, '').replace(OPENSSL, 'TLS: $1').replace(NODE_ADVICE, '').trim();
  const next = isEncrypted ? nextOverTls(text) : CLOSED.test(text) ? 'a port with TLS needs https:' : undefined;
  return next === undefined ? text : `${text}; ${next}`;
}

function nextOverTls(text: string): string | undefined {
  if (NO_TLS.test(text)) return 'a port without TLS needs http:';
  if (WANTS_CERTIFICATE.test(text)) return 'it wants another certificate than tls.certificateFile, or one at all';
  if (UNKNOWN_AUTHORITY.test(text)) return 'name who signed its certificate in tls.caFile';
  // A server that does not trust the certificate it is shown may end the connection and say nothing, as those of Node.js do.
  if (CLOSED.test(text)) return 'closed before the answer, as where tls.certificateFile is not trusted there';
  return undefined;
}
