import { processState } from '@reenact/trace-model';

/** `isLoadingModule`, `duringLoad`, what was put in the place of `process.dlopen`, its proxy, and whoever called that. */
const framesRead = 5;
/** What the outermost of our functions around `process.dlopen` has seen; the stack below another begins with ours. */
const around = processState<{ byLoader: boolean | undefined }>('add-on-load.1', () => ({ byLoader: undefined }));

function isLoadingModule(): boolean {
  const before = Error.stackTraceLimit;
  try {
    Error.stackTraceLimit = framesRead;
    const { stack } = new Error('who loads');
    return stack?.includes('node:internal/modules/') === true;
  } finally {
    Error.stackTraceLimit = before;
  }
}

/**
 * Runs `work` in the place of `process.dlopen`, and tells it whether Node's own module loader is calling, as it does for `require` of a
 * `.node` file. Call it directly in the function that `PatchSet.wrap` is given. Returns and throws what `work` does.
 */
export function duringLoad<Result>(work: (byLoader: boolean) => Result): Result {
  const before = around.byLoader;
  around.byLoader ??= isLoadingModule();
  try {
    return work(around.byLoader);
  } finally {
    around.byLoader = before;
  }
}
