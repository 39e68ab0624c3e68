/** What Vitest runs test files in with `--pool=threads`; the file of its processes has the other name. */
const VITEST_THREADS = /(?<=[/\\]vitest[/\\]dist[/\\]workers[/\\])(?:threads|vmThreads)(?=\.js$)/;

/** Whether the main file of a worker thread is that of a test runner, which does the same in a process of its own where it is told to. */
export function isOfTestThreads(file: string | undefined): boolean {
  return file !== undefined && VITEST_THREADS.test(file);
}

/** The main file of the process that does what this one does in a thread. */
export function processFileOf(threadFile: string): string {
  return threadFile.replace(VITEST_THREADS, (name) => (name === 'threads' ? 'forks' : 'vmForks'));
}
