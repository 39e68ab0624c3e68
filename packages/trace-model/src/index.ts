export {
  describeError,
  ERROR_CODES,
  type ErrorCode,
  isReenactError,
  ReenactError,
  type ReenactErrorOptions,
  toReenactError,
} from './reenact-error.ts';
