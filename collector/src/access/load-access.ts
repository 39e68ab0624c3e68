import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { doubledMember, endOfJson, isLoopback, Mistakes, ReenactError } from '@reenact/trace-model';
import { z } from 'zod';
import { type AccessSettings, type CollectorToken, collectorTokenSchema } from './access-settings.ts';
import { type Authorizer, createAuthorizer } from './authorizer.ts';
import { tryPair } from './certificate-pair.ts';

/** Certificates and keys as read from their files. */
export interface TlsMaterial {
  readonly certificate: Buffer;
  readonly key: Buffer;
  /** Certificates of those whom senders must be signed by; undefined where senders need no certificate. */
  readonly clientCa: Buffer | undefined;
}

/** The tokens a collector knows. */
export interface KnownTokens {
  readonly authorizer: Authorizer;
  readonly count: number;
}

/**
 * The tokens of a configuration, with those of the file it names. Throws ReenactError `bad-config` where the file cannot be
 * used, where a collector without tokens would listen to other machines, and where tokens would be gone that were needed before.
 */
export function loadTokens(config: Omit<AccessSettings, 'tls'>, previous?: KnownTokens): KnownTokens {
  const tokens = [...config.tokens, ...(config.tokensFile === undefined ? [] : readTokens(config.tokensFile))];
  refuseDoubles(tokens);
  if (tokens.length === 0 && !isLoopback(config.host)) throw openToOthers(config.host);
  if (tokens.length === 0 && previous !== undefined && !previous.authorizer.isOpen) throw lostTokens();
  return { authorizer: createAuthorizer(tokens), count: tokens.length };
}

/** An emptied file is more often a mistake than the wish to let everybody in. */
function lostTokens(): ReenactError {
  return new ReenactError('bad-config', 'The file of tokensFile holds no token any more.', {
    where: 'tokensFile',
    next: 'Restart the collector if everybody on this machine shall do everything.',
  });
}

function openToOthers(host: string): ReenactError {
  return new ReenactError(
    'bad-config',
    `Without tokens the collector listens on this machine only, and ${host} is more than that: whoever reached it could read every recording.`,
    { where: 'host', next: 'Add tokens (`reenact config token` makes one), or leave host at 127.0.0.1.' },
  );
}

const TOKEN_ENTRIES =
  'Write a list of entries as `reenact config token` makes them; `reenact docs collector` says what they take.';

function readTokens(file: string): CollectorToken[] {
  // Without the mark that editors of Windows put before a text.
  const text = new TextDecoder().decode(readConfigured('tokensFile', file));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unusable('tokensFile', file, `is not JSON ${endOfJson(text)}`, cause, TOKEN_ENTRIES);
  }
  const doubled = doubledMember(text);
  if (doubled !== undefined) {
    const what = `has a key twice in one object, at line ${doubled.line}`;
    throw unusable('tokensFile', file, what, undefined, 'Leave one of them: of two the last alone would count.');
  }
  const parsed = z.array(collectorTokenSchema).safeParse(value);
  const mistakes = new Mistakes();
  for (const { path, message } of parsed.error?.issues ?? []) {
    // Neither the path nor the message shows a value: a token written there by mistake is not printed.
    const place = path.length === 0 ? '' : ` at ${path.join('.')}`;
    mistakes.add(unusable('tokensFile', file, `is wrong${place}: ${message}`, undefined, TOKEN_ENTRIES));
  }
  mistakes.throwAny();
  return parsed.data ?? [];
}

function refuseDoubles(tokens: readonly CollectorToken[]): void {
  const names = new Set<string>();
  const digests = new Set<string>();
  for (const { name, sha256 } of tokens) {
    if (names.has(name) || digests.has(sha256)) {
      throw new ReenactError('bad-config', `Two tokens have one name or one digest: "${name}".`, {
        where: 'tokens',
        next: 'Give each token its own name, and make each with `reenact config token`.',
      });
    }
    names.add(name);
    digests.add(sha256);
  }
}

/** Reads and tries certificates and keys. Throws ReenactError `bad-config` where a file cannot be used. */
export function loadTls({ certificateFile, keyFile, clientCaFile }: NonNullable<AccessSettings['tls']>): TlsMaterial {
  const mistakes = new Mistakes();
  for (const [name, file] of Object.entries({ certificateFile, keyFile, clientCaFile }))
    if (file !== undefined) mistakes.try(() => readConfigured(`tls.${name}`, file));
  mistakes.throwAny();
  const certificate = readConfigured('tls.certificateFile', certificateFile);
  const key = readConfigured('tls.keyFile', keyFile);
  const clientCa = clientCaFile === undefined ? undefined : readConfigured('tls.clientCaFile', clientCaFile);
  tryTls('tls.certificateFile', certificateFile, () => createSecureContext({ cert: certificate }));
  tryTls('tls.keyFile', keyFile, () => tryPair(certificate, key));
  if (clientCa !== undefined && clientCaFile !== undefined) {
    // A context passes over what is no certificate, and would then trust nobody.
    tryTls('tls.clientCaFile', clientCaFile, () => new X509Certificate(clientCa));
  }
  return { certificate, key, clientCa };
}

/** Tries what a file holds. Throws ReenactError `bad-config` naming its key where `use` throws. */
export function tryTls(key: string, file: string, use: () => unknown): void {
  try {
    use();
  } catch (cause) {
    const what = `is not usable for TLS (${cause instanceof Error ? cause.message : cause})`;
    throw unusable(
      key,
      file,
      what,
      cause,
      'Name one in PEM; a key must be that of its certificate, and not encrypted.',
    );
  }
}

/** Reads a file that a configuration names by this key. Throws ReenactError `bad-config`. */
export function readConfigured(key: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw unusable(key, file, `cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown'})`, cause);
  }
}

function unusable(
  key: string,
  file: string,
  what: string,
  cause: unknown,
  next = 'Name a file that the user of the collector may read.',
): ReenactError {
  return new ReenactError('bad-config', `The file of ${key} ${what}: ${resolve(file)}.`, {
    where: key,
    next,
    cause,
  });
}
