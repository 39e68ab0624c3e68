import { startCollector } from '@reenact/collector';
import { ReenactError } from '@reenact/trace-model';
import type { Command } from 'commander';
import { paint } from '../terminal.ts';
import type { CommandContext } from './command-context.ts';

interface CollectOptions {
  readonly host: string;
  readonly httpPort: number;
  readonly grpcPort: number;
  readonly data: string;
  readonly forward: ForwardTarget[];
  readonly forwardFull: ForwardTarget[];
  readonly json?: boolean;
}

interface ForwardTarget {
  readonly name: string;
  readonly url: string;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ReenactError('bad-argument', `"${text}" is not a port.`, {
      where: text,
      next: 'Give a number from 0 to 65535; 0 picks a free one.',
    });
  }
  return port;
}

function parseForward(text: string, others: ForwardTarget[] = []): ForwardTarget[] {
  const match = /^([A-Za-z][\w-]*)=(https?:\/\/\S+)$/.exec(text);
  const [, name, url] = match ?? [];
  if (name === undefined || url === undefined || !URL.canParse(url)) {
    throw new ReenactError('bad-argument', `"${text}" is not a forwarding target.`, {
      where: text,
      next: 'Write it as <name>=<url>, for example --forward jaeger=http://127.0.0.1:14318.',
    });
  }
  if (others.some((other) => other.name === name)) {
    throw new ReenactError('bad-argument', `Two forwarding targets are called "${name}".`, {
      where: text,
      next: 'Give each its own name.',
    });
  }
  return [...others, { name, url }];
}

function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
}

async function collect(options: CollectOptions, { terminal }: CommandContext): Promise<void> {
  const collector = await startCollector({
    host: options.host,
    httpPort: options.httpPort,
    grpcPort: options.grpcPort,
    dataDirectory: options.data,
    forward: [
      ...options.forward.map((target) => ({ ...target, content: 'slim' as const })),
      ...options.forwardFull.map((target) => ({ ...target, content: 'full' as const })),
    ],
  });
  const { httpUrl, grpcUrl, dataDirectory } = collector;
  if (options.json === true) {
    terminal.out(JSON.stringify({ httpUrl, grpcUrl, dataDirectory, processId: process.pid }));
  } else {
    const targets = [...options.forward, ...options.forwardFull]
      .map(({ name, url }) => ` · forwards to ${name} (${url})`)
      .join('');
    terminal.out(
      `${paint(terminal, 'good', '●')} collecting OTLP on ${httpUrl} (HTTP) and ${grpcUrl} (gRPC) · data in ${dataDirectory}${targets}`,
    );
    terminal.out(
      paint(
        terminal,
        'quiet',
        '  Point your agent here with OTEL_EXPORTER_OTLP_ENDPOINT. Stop with Ctrl-C; nothing acknowledged is lost.',
      ),
    );
  }
  await untilStopped();
  await collector.stop();
  if (options.json !== true) terminal.out('stopped');
}

/** `reenact collect`: the OTLP receiver and store. */
export function addCollectCommand(program: Command, context: CommandContext): void {
  program
    .command('collect')
    .description('start the collector: receives OTLP, acknowledges what is on disk, serves recordings')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--http-port <port>', 'port of OTLP/HTTP and the API; 0 picks a free one', parsePort, 4318)
    .option('--grpc-port <port>', 'port of OTLP/gRPC; 0 picks a free one', parsePort, 4317)
    .option('--data <directory>', 'where recordings are kept', './reenact-data')
    .option(
      '--forward <name=url>',
      'send spans without payloads on to this OTLP/HTTP endpoint; may be repeated',
      parseForward,
      [],
    )
    .option(
      '--forward-full <name=url>',
      'send spans as received on to this OTLP/HTTP endpoint; may be repeated',
      parseForward,
      [],
    )
    .option('--json', 'print where everything is as one line of JSON')
    .action((options: CollectOptions) => collect(options, context));
}
