/** Ends of the paths under which the providers answer inference and embedding requests. */
const modelPath =
  /\/(?:chat\/completions|completions|responses|embeddings|messages|converse(?:-stream)?|invoke(?:-with-response-stream)?|api\/(?:chat|generate|embed))$|:(?:generateContent|streamGenerateContent|embedContent|predict)$/;
const modelHost =
  /(?:^|\.)(?:openai\.com|anthropic\.com|googleapis\.com|amazonaws\.com|azure\.com|mistral\.ai|cohere\.(?:ai|com)|groq\.com|openrouter\.ai|deepseek\.com|x\.ai|together\.xyz)$/;
const modelPathAnywhere = /\/(?:chat\/completions|v1\/messages|v1\/responses|v1\/embeddings)$/;

/** Whether an address is one at which models are called. Hosts of one's own are told by paths that nothing else has. */
export function isModelAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname, pathname } = new URL(address);
  return modelPathAnywhere.test(pathname) || (modelHost.test(hostname) && modelPath.test(pathname));
}
