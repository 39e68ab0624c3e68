/**
 * For programs that are to find nothing of what this machine sets: where programs are, the home folder, and where Node.js keeps what it has
 * compiled, without which each of thousands of starts compiles the same modules.
 */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
}
