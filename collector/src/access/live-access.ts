import type { Log } from '../logging/log.ts';
import type { AccessSettings } from './access-settings.ts';
import type { Authorizer } from './authorizer.ts';
import { CertificateAge } from './certificate-age.ts';
import type { FileWatch } from './file-watch.ts';
import type { LiveTls } from './live-tls.ts';
import { type KnownTokens, loadTls, loadTokens } from './load-access.ts';
import { Reloadable } from './reloadable.ts';

/**
 * Who may reach the collector, and how, by what the files of its configuration hold now. Tokens and certificates are loaded
 * apart: a mistake in one does not hold up the other. Connections and calls that were let in go on.
 */
export class LiveAccess {
  /** Judges every request by the tokens in use at that moment. */
  readonly authorizer: Authorizer;
  /** Undefined where connections are not encrypted. */
  readonly tls: LiveTls | undefined;

  /** Reads the files, and has them watched. Throws ReenactError `bad-config` where one cannot be used. */
  constructor(config: AccessSettings, log: Log, watch: FileWatch) {
    const tokens = watch.watch(
      new Reloadable<KnownTokens>({
        name: 'tokens',
        files: config.tokensFile === undefined ? [] : [config.tokensFile],
        load: (previous) => loadTokens(config, previous),
        log,
      }),
    );
    this.authorizer = {
      get isOpen() {
        return tokens.current.authorizer.isOpen;
      },
      authorize: (credentials, scope) => tokens.current.authorizer.authorize(credentials, scope),
    };
    const { tls } = config;
    if (tls === undefined) return;
    const material = watch.watch(
      new Reloadable({
        name: 'certificates',
        files: [tls.certificateFile, tls.keyFile, tls.clientCaFile].filter((file) => file !== undefined),
        load: () => loadTls(tls),
        log,
      }),
    );
    watch.watch(new CertificateAge(material, log));
    this.tls = material;
  }
}
