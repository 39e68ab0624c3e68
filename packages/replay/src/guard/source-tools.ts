/**
 * Main scripts that only start another program. This and the rest of this file are the closed list of what belongs to starting
 * an agent, not to what the agent does (docs/adr/0009).
 */
const launchers = [
  /[/\\]node_modules[/\\](?:npm|pnpm|yarn|corepack|tsx|cross-env|dotenv-cli|nodemon)[/\\](?:bin|dist|lib|src)[/\\](?!loader|preflight)/,
  /[/\\](?:npm-cli|npx-cli|pnpm|pnpx|yarn|yarnpkg|corepack|yarn-[\d.]+)\.[cm]?js$/,
];

/** Programs and threads of compilers. */
const compilers = [
  /[/\\]node_modules[/\\](?:@esbuild[/\\][^/\\]+|esbuild)[/\\](?:bin[/\\])?esbuild(?:\.exe)?$/,
  // Its thread for callers that cannot wait, as `require` of TypeScript under tsx.
  /[/\\]node_modules[/\\]esbuild[/\\]lib[/\\]main\.js$/,
];

/** Whether a program or thread is a compiler that a module loader starts: it reads source text and gives source text back. */
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
