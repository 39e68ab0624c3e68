export { arbitraryPlan, arbitraryRun, placesBelow, replaceAt } from './arbitrary-plan.ts';
export { chatCompletion, modelExchange, toolCall } from './model-exchange.ts';
export { BUILT_TRACE_ID, buildRecording, type CrossingPlan } from './recording-builder.ts';
