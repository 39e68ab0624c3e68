/** Trailer of a gRPC answer with our own code: one gRPC code stands for several. */
export const ERROR_CODE_KEY = 'reenact-error-code';
