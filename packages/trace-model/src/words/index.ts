export { offPair } from '../off-pair.ts';
export { missingAdvice } from '../recordings/missing-advice.ts';
export { costText } from './cost-text.ts';
export { counted } from './counted.ts';
export { driftConclusion } from './drift-conclusion.ts';
export { humanDuration } from './human-duration.ts';
