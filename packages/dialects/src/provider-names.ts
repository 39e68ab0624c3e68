/** What products and hosts are called by others, as the conventions call them. */
const providers: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'aws.bedrock'],
  ['aws', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['azure-openai', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['gemini', 'gcp.gemini'],
  ['google', 'gcp.gemini'],
  ['google.generative-ai', 'gcp.gemini'],
  ['google.vertex', 'gcp.vertex_ai'],
  ['mistral', 'mistral_ai'],
  ['mistralai', 'mistral_ai'],
  ['moonshotai', 'moonshot_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['vertexai', 'gcp.vertex_ai'],
  ['watsonx', 'ibm.watsonx.ai'],
  ['xai', 'x_ai'],
]);

/** Names of the conventions that hold a dot themselves. */
const dotted = /^(?:gcp|aws|azure\.ai|ibm)\./;

/** A provider as the conventions name it. Some write the API behind it: `openai.chat`; what they name beside is nobody known is kept. */
export function providerName(given: string): string {
  const name = given.toLowerCase().replaceAll(' ', '');
  if (dotted.test(name)) return name;
  const [first = name, second = ''] = name.split('.');
  return (
    providers.get(name) ?? providers.get(`${first}.${second}`) ?? providers.get(first) ?? (first === '' ? name : first)
  );
}
