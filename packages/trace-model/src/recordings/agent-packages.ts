/** Packages whose program is the agent: it asks models by itself, and tells them what it came to (docs/across-processes.md). */
export const AGENT_PACKAGES: readonly string[] = [
  '@anthropic-ai/claude-agent-sdk',
  '@github/copilot-sdk',
  '@openai/codex-sdk',
];
