import type { Reporter, TestCase } from 'vitest/node';

/** Prints why a test failed that passed when it was tried again: of a property, the counterexample and its seed would be gone. */
class RetriedTests implements Reporter {
  onTestCaseResult(testCase: TestCase): void {
    const { state, errors = [] } = testCase.result();
    if (state !== 'passed') return;
    for (const { stack, message, diff = '' } of errors)
      console.log(`Failed, and passed when it was tried again: ${testCase.fullName}\n${stack ?? message}\n${diff}`);
  }
}

// biome-ignore lint/style/noDefaultExport: vitest takes a reporter from the default export.
export default RetriedTests;
