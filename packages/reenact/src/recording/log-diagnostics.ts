import { formatWithOptions } from 'node:util';
import { type DiagLogFunction, DiagLogLevel, diag } from '@opentelemetry/api';
import { diagLogLevelFromString } from '@opentelemetry/core';

/** Where every copy of OpenTelemetry's API of this major version keeps what is set for the whole process. */
const API_GLOBALS = Symbol.for('opentelemetry.js.api.1');

function hasLogger(): boolean {
  const globals: unknown = Reflect.get(globalThis, API_GLOBALS);
  return typeof globals === 'object' && globals !== null && Reflect.get(globals, 'diag') !== undefined;
}

/**
 * Writes OpenTelemetry's diagnostics to standard error where `OTEL_LOG_LEVEL` asks for them and nobody has set a logger yet; what the app
 * sets later takes its place. Standard output is the app's own. Below `info` exporters tell all that is in a span: that is not for logs.
 */
export function logDiagnostics({ OTEL_LOG_LEVEL: level }: NodeJS.ProcessEnv, stderr: NodeJS.WritableStream): void {
  const logLevel = diagLogLevelFromString(level);
  if (level === undefined || logLevel === undefined || hasLogger()) return;
  const writing =
    (name: string): DiagLogFunction =>
    (message, ...more) => {
      stderr.write(`${name}: ${formatWithOptions({ breakLength: Number.POSITIVE_INFINITY }, message, ...more)}\n`);
    };
  const logger = {
    error: writing('error'),
    warn: writing('warn'),
    info: writing('info'),
    debug: () => undefined,
    verbose: () => undefined,
  };
  diag.setLogger(logger, { logLevel: Math.min(logLevel, DiagLogLevel.INFO), suppressOverrideMessage: true });
}
