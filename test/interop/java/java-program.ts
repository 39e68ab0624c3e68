import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The oldest release that the program's sources are for. */
const JAVA_MIN = 17;

/** How long compiling it may take, with everything it needs fetched first, milliseconds. */
const BUILD_MS_MAX = 400_000;

const folder = new URL('./', import.meta.url).pathname;
const sources = ['pom.xml', 'src/main/java/SendSpans.java'];

/** What this machine lacks to build and run it; undefined where it lacks nothing. */
export function missingJava(): string | undefined {
  const { status, stdout } = spawnSync('javac', ['-version'], { encoding: 'utf8' });
  if (status !== 0) return 'no JDK is installed';
  if (Number(/javac (\d+)/.exec(stdout)?.[1] ?? 0) < JAVA_MIN) return `the JDK is older than ${JAVA_MIN}`;
  if (spawnSync('mvn', ['--version'], { stdio: 'ignore' }).status !== 0) return 'Maven is not installed';
  return undefined;
}

/** Version of the SDK and its exporters. */
export function javaSdkVersion(): string {
  const pom = readFileSync(join(folder, 'pom.xml'), 'utf8');
  return /<opentelemetry\.version>(.*?)</.exec(pom)?.[1] ?? 'unknown';
}

/** The command that runs it, built outside the repository once per sources. What was left half built has no stamp and is built again. */
export function javaProgram(): readonly string[] {
  const { XDG_CACHE_HOME: cache } = process.env;
  const root = cache === undefined || cache === '' ? join(homedir(), '.cache') : cache;
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(join(folder, source)));
  const target = join(root, 'reenact', 'interop', `java-${hash.digest('hex').slice(0, 16)}`);
  if (!existsSync(join(target, 'complete'))) build(target);
  const classpath = [join(target, 'target', 'classes'), join(target, 'target', 'libraries', '*')].join(':');
  return ['java', '-cp', classpath, 'SendSpans'];
}

function build(target: string): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const source of sources) cpSync(join(folder, source), join(target, source));
  const goals = ['compile', 'dependency:copy-dependencies', '-DoutputDirectory=target/libraries'];
  const options = { cwd: target, encoding: 'utf8', timeout: BUILD_MS_MAX } as const;
  const { status, stdout, error } = spawnSync('mvn', ['--quiet', '--batch-mode', ...goals], options);
  if (status !== 0) throw new Error(`Maven failed: ${error?.message ?? ''}${stdout ?? ''}`);
  writeFileSync(join(target, 'complete'), '');
}
