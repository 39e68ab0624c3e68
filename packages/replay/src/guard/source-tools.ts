/**
 * Main scripts that only start another program. This and the rest of this file are the closed list of what belongs to starting
 * an agent, not to what the agent does (docs/adr/0009).
 */
const launchers = [
  /[/\\]node_modules[/\\](?:npm|pnpm|yarn|corepack|tsx|cross-env|dotenv-cli|nodemon)[/\\](?:bin|dist|lib|src)[/\\](?!loader|preflight)/,
  /[/\\](?:npm-cli|npx-cli|pnpm|pnpx|yarn|yarnpkg|corepack|yarn-[\d.]+)\.[cm]?js$/,
];

/** Programs and threads of compilers, and the one that Vitest starts to end its workers should it die itself. */
const compilers = [
  /[/\\]node_modules[/\\](?:@esbuild[/\\][^/\\]+|esbuild)[/\\](?:bin[/\\])?esbuild(?:\.exe)?$/,
  // Its thread for callers that cannot wait, as `require` of TypeScript under tsx.
  /[/\\]node_modules[/\\]esbuild[/\\]lib[/\\]main\.js$/,
  /[/\\]node_modules[/\\]vitest[/\\]dist[/\\]workers[/\\]watchdog\.js$/,
];

/** How Jest asks for Watchman, a service that knows the files of a project: by which socket it is reached, or whether it is there. */
const watchmanWords = /(?:^|\s)(?:get-sockname|--version)$/;
const watchmanSocket = /[/\\]watchman[/\\][^/\\]+-state[/\\]sock$|[/\\]pipe[/\\]watchman-/;

/** Whether a program is asked for that Jest does as well without: a replay has it be missing. */
export function isWatchman(program: string | undefined, words: readonly string[] = []): boolean {
  return program !== undefined && /(?:^|[/\\])watchman(?:\.exe)?$/.test(program) && watchmanWords.test(words.join(' '));
}

/** Whether a path is the socket of that. */
export function isWatchmanSocket(path: string): boolean {
  return watchmanSocket.test(path);
}

/** Whether a program or thread is one that what loads and runs the source starts: it does nothing of the agent's. */
export function isCompiler(program: string): boolean {
  return compilers.some((pattern) => pattern.test(program));
}

/**
 * Whether this process only starts another one, as `npm start` does, by its main script. Such a process runs no agent code, and
 * its children join the replay themselves.
 */
export function isLauncher(mainScript: string | undefined): boolean {
  if (mainScript === undefined) return false;
  return launchers.some((pattern) => pattern.test(mainScript));
}
