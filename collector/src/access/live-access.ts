import type { CollectorConfig } from '../config.ts';
import type { Log } from '../log.ts';
import type { Authorizer } from './authorizer.ts';
import { type KnownTokens, loadTls, loadTokens, type TlsMaterial } from './load-access.ts';
import { Reloadable } from './reloadable.ts';

/** TLS material that changes while it is used. */
export type LiveTls = Pick<Reloadable<TlsMaterial>, 'current' | 'onReloaded'>;

/**
 * Who may reach the collector, and how, by what the files of its configuration hold now. Tokens and certificates are loaded
 * apart: a mistake in one does not hold up the other. Connections and calls that were let in go on.
 */
export class LiveAccess {
  /** Judges every request by the tokens in use at that moment. */
  readonly authorizer: Authorizer;
  /** Undefined where connections are not encrypted. */
  readonly tls: LiveTls | undefined;
  private readonly parts: readonly Pick<Reloadable<unknown>, 'check' | 'reload'>[];
  private readonly timer: NodeJS.Timeout;

  /** Reads the files. Throws ReenactError `bad-config` where one cannot be used. */
  constructor(config: CollectorConfig, log: Log) {
    const tokens = new Reloadable<KnownTokens>({
      name: 'tokens',
      files: config.tokensFile === undefined ? [] : [config.tokensFile],
      load: (previous) => loadTokens(config, previous),
      log,
    });
    this.authorizer = {
      get isOpen() {
        return tokens.current.authorizer.isOpen;
      },
      authorize: (credentials, scope) => tokens.current.authorizer.authorize(credentials, scope),
    };
    const { tls } = config;
    const certificates =
      tls === undefined
        ? undefined
        : new Reloadable({
            name: 'certificates',
            files: [tls.certificateFile, tls.keyFile, tls.clientCaFile].filter((file) => file !== undefined),
            load: () => loadTls(tls),
            log,
          });
    this.tls = certificates;
    this.parts = certificates === undefined ? [tokens] : [tokens, certificates];
    this.timer = setInterval(() => {
      for (const part of this.parts) part.check();
    }, config.limits.accessCheckMs);
    this.timer.unref();
  }

  /** Reads every file again now. What cannot be used is logged, and what was in use stays. Never throws. */
  reload(): void {
    for (const part of this.parts) part.reload();
  }

  /** Looks at the files no more. */
  stop(): void {
    clearInterval(this.timer);
  }
}
