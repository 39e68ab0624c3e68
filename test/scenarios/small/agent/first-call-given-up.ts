// A script whose very first call is given up by a signal: what sets the time limit is made before the run has begun, and holds no process.
try {
  await fetch(`${process.env.SLOW_URL}/never`, { signal: AbortSignal.timeout(100) });
} catch (error) {
  console.log(error instanceof Error ? error.name : 'failed');
}
console.log(await (await fetch(`${process.env.SLOW_URL}/now`)).text());
