import { createHash, randomBytes } from 'node:crypto';
import { checkCollectorConfig, parseCollectorConfig } from '@reenact/collector';
import { ReenactError, toReenactError } from '@reenact/trace-model';
import { counted } from '@reenact/trace-model/words';
import { type Command, Option } from 'commander';
import { type CollectorFlags, collectorSettings, readSettings } from '../collecting/collector-settings.ts';
import { hideSecrets } from '../collecting/hide-secrets.ts';
import { TOKEN_BYTES } from '../limits.ts';
import { paint } from '../terminal/terminal.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { repeat } from './plan-flags.ts';

interface ConfigOptions {
  readonly strict?: boolean;
  readonly config?: string;
  readonly name: string;
  readonly scope: string[];
  readonly tenant: string;
}

const actions = ['check', 'print', 'token'] as const;

function flagsOf(config: string | undefined): CollectorFlags {
  return { config, forward: [], forwardFull: [] };
}

/** A collector starts with a certificate that has ended, and goes on to serve who does not look at it: only who asks for it is stopped there. */
function check(file: string | undefined, isStrict: boolean, { terminal, environment }: CommandContext): void {
  const { tokens, isEncrypted, warnings } = readSettings(flagsOf(file), environment, checkCollectorConfig);
  const reach = tokens === 0 ? 'no tokens, this machine only' : counted(tokens, 'token');
  terminal.out(
    `${paint(terminal, 'good', '●')} the configuration can be used · ${reach} · ${isEncrypted ? 'TLS' : 'no TLS'}`,
  );
  for (const warning of warnings) terminal.err(`${paint(terminal, 'bad', '✗')} ${warning}`);
  if (!isStrict || warnings.length === 0) return;
  throw new ReenactError('bad-config', 'Some of the configuration is not as it should be.', {
    where: '--strict',
    next: 'Replace what is named above.',
  });
}

function print(file: string | undefined, { terminal, environment }: CommandContext): void {
  terminal.out(JSON.stringify(hideSecrets(collectorSettings(flagsOf(file), environment)), null, 2));
}

/** Of what keys of an entry are told by which flag. */
const flagOfKey = { name: '--name', scopes: '--scope', tenant: '--tenant' } as const;

/** An entry that the collector would refuse is not handed out; whoever asks for one knows flags, and no keys. */
function checkEntry(entry: {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly tenant: string;
}): void {
  try {
    parseCollectorConfig({ tokens: [entry] });
  } catch (cause) {
    const { message, where } = toReenactError(cause);
    const key = Object.keys(flagOfKey).find((known) => where?.startsWith(`tokens.0.${known}`) === true);
    if (key === undefined) throw cause;
    const flag = flagOfKey[key as keyof typeof flagOfKey];
    throw new ReenactError('bad-argument', message.replace(/^.*?: /, `The value of ${flag} cannot be used: `), {
      where: flag,
      next: 'See `reenact config --help` for what it takes.',
    });
  }
}

/** The token goes to standard output alone, so that it can be piped; the entry goes to standard error. */
function makeToken({ name, scope, tenant }: ConfigOptions, { terminal }: CommandContext): void {
  const token = `reenact_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  const sha256 = createHash('sha256').update(token).digest('hex');
  const scopes = scope.length === 0 ? ['ingest'] : scope;
  const entry = { name, sha256, scopes, tenant };
  checkEntry(entry);
  terminal.err('The token is shown once, below. Add to "tokens" of the configuration, or to the file of "tokensFile":');
  terminal.err(JSON.stringify(entry));
  terminal.out(token);
}

/** `reenact config [action] [file]`: checks and shows the collector's configuration, and makes tokens. */
export function addConfigCommand(program: Command, context: CommandContext): void {
  program
    .command('config')
    .description("check or print the collector's configuration, or make a token")
    .argument('[action]', 'check, print, or token (default: check)')
    .argument('[file]', 'the configuration file (default: $REENACT_COLLECTOR_CONFIG)')
    .option('--config <file>', 'likewise, as other commands have it')
    .option(
      '--strict',
      'of check: fail for what a collector starts with and warns of, such as a certificate that has ended',
    )
    .option('--name <name>', 'of a token: what logs call it', 'app')
    .addOption(
      new Option('--scope <scope>', 'of a token: ingest, read, replay or admin; may be repeated (default: ingest)')
        .argParser(repeat)
        .default([]),
    )
    .option('--tenant <tenant>', 'of a token: whose data it reads and writes', 'default')
    .addHelpText(
      'after',
      exitCodesHelp({ 0: 'done', 2: 'a configuration that cannot be used, or with `--strict` one that is warned of' }),
    )
    .action((action: string | undefined, named: string | undefined, options: ConfigOptions) => {
      const file = named ?? options.config;
      switch (actions.find((known) => known === (action ?? 'check'))) {
        case 'check':
          return check(file, options.strict === true, context);
        case 'print':
          return print(file, context);
        case 'token':
          return makeToken(options, context);
        case undefined:
          throw new ReenactError(
            'bad-argument',
            `"${action ?? ''}" is nothing that can be done with a configuration.`,
            {
              where: action ?? '',
              next: 'Use `reenact config check`, `reenact config print` or `reenact config token`.',
            },
          );
      }
    });
}
