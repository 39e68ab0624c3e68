import { ReenactError } from '@reenact/trace-model/reenact-error';

const tlsCode = /^ERR_(?:SSL|TLS)_|^[A-Z_]*CERT[A-Z_]*$|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)/;
/** As a code, and as the message of OpenSSL, which is all that a failed write says (EPROTO). */
const notTls = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$|wrong version number|packet length too long/;
/** Thrown before anything is sent: what this client was to show, or to trust, could not even be loaded. */
const ownFiles = /^ERR_OSSL_/;
/** What `fetch` says of a port that it refuses to ask, as browsers do. */
const badPort = /^bad port$/;
const hungUp = /^(?:UND_ERR_SOCKET|ECONNRESET|HPE_.*)$|^HTTPParserError$/;

/** Whether an error, or one below it, has such a code, name or message. */
function isFrom(cause: unknown, pattern: RegExp): boolean {
  if (!(cause instanceof Error)) return false;
  return (
    [String(Reflect.get(cause, 'code') ?? ''), cause.name, cause.message].some((text) => pattern.test(text)) ||
    isFrom(cause.cause, pattern)
  );
}

/** By code, what is wrong with the certificate that the collector shows, where trust in its authority is not. */
const certificateFaults: readonly (readonly [RegExp, string, string])[] = [
  [
    /^CERT_HAS_EXPIRED$/,
    "The collector's certificate has expired.",
    'Replace the files of `tls` in its configuration: it takes them without a restart. Where it is new, look whether the clock of this machine is right.',
  ],
  [
    /^CERT_NOT_YET_VALID$/,
    "The collector's certificate is not valid yet.",
    'Look whether the clock of this machine is right, and from when on the certificate is.',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "The collector's certificate is for another name than that of its address.",
    'Write the address with a name that the certificate has, or give the collector a certificate with this one (subjectAltName).',
  ],
];

/** What to do where the platform sends requests by way of a proxy, also those to this machine: of one that is not there it says nothing. */
function proxyHint(url: string): string {
  const { env = {}, execArgv = [] } = globalThis.process ?? {};
  const isOn = env.NODE_USE_ENV_PROXY === '1' || [...execArgv, env.NODE_OPTIONS].join(' ').includes('--use-env-proxy');
  const name = url.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const isNamed = (env[name] ?? env[name.toLowerCase()] ?? '') !== '';
  return isOn && isNamed
    ? ` It is asked by way of the proxy of ${name}: NO_PROXY=${new URL(url).hostname} leaves that out.`
    : '';
}

function refusal(message: string, next: string, where: string, cause: unknown): ReenactError {
  return new ReenactError('collector-unreachable', message, { where, next, cause });
}

/** What it means that a question to a collector got no answer. */
export function unreachable(url: string, cause: unknown): ReenactError {
  if (isFrom(cause, notTls)) {
    const next = 'Write the address with http://, or have the collector encrypt: `tls` of its configuration.';
    return refusal("What answers at the collector's address does not speak TLS.", next, url, cause);
  }
  for (const [code, message, next] of certificateFaults) {
    if (isFrom(cause, code)) return refusal(message, next, url, cause);
  }
  if (isFrom(cause, ownFiles)) {
    const next =
      'Look at the files of OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY: each is PEM, and the key, not encrypted, is that of the certificate.';
    return refusal('The certificate of this client and its key cannot be used together.', next, url, cause);
  }
  if (isFrom(cause, tlsCode)) {
    const next =
      'Name the authority of its certificate with OTEL_EXPORTER_OTLP_CERTIFICATE or NODE_EXTRA_CA_CERTS, and, where it wants one of you, yours with OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY.';
    return refusal('The collector and this client do not trust each other over TLS.', next, url, cause);
  }
  if (isFrom(cause, badPort)) {
    const next =
      'Commands and browsers ask nothing at it, because other protocols have it: start the collector at another one, as `reenact collect --http-port 4318` does (`httpPort`).';
    return refusal("The port of the collector's address is one that is never asked over HTTP.", next, url, cause);
  }
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
  const isHungUp = !isTimeout && isFrom(cause, hungUp);
  const silence = isHungUp
    ? "The connection to the collector's address was closed without an answer over HTTP/1.1."
    : "Nothing answers at the collector's address.";
  const start = 'Start one with `reenact collect`, or name another with --collector or REENACT_COLLECTOR.';
  const check = url.startsWith('https:')
    ? 'Where the collector has `clientCaFile`, show it a certificate that is valid now and signed by one of these (OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY): of another it says no more than this. Write the address with the port of OTLP/HTTP (4318 unless set), not that of gRPC. Where both are right, ask again and look at its log.'
    : 'Write the address with https:// where the collector has `tls`, and with the port of OTLP/HTTP (4318 unless set), not that of gRPC. Where both are right, ask again and look at its log.';
  return new ReenactError('collector-unreachable', isTimeout ? 'The collector did not answer in time.' : silence, {
    where: url,
    next: `${isHungUp ? check : start}${proxyHint(url)}`,
    retryable: true,
    cause,
  });
}
