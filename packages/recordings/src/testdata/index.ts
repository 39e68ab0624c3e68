export { arbitraryPlan, arbitraryRun, placesBelow, replaceAt } from './arbitrary-plan.ts';
export { chatCompletion, modelExchange, toolCall } from './model-exchange.ts';
export { buildRecording, type CrossingPlan } from './recording-builder.ts';
