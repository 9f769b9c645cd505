// Programs of a few lines around an SDK, each as its documentation shows it.
import { fileURLToPath } from 'node:url'
import type { Agent, Setting } from './agent.ts'

const script = (name: string): string => fileURLToPath(new URL(`../sdk/${name}`, import.meta.url))

const env = ({ url, key, model }: Setting) => ({
  SCRIPTED_URL: url,
  SCRIPTED_KEY: key,
  SCRIPTED_MODEL: model,
})

const program = (agent: Pick<Agent, 'name' | 'from' | 'packages'>, file: string): Agent => ({
  ...agent,
  program: agent.from === 'pypi' ? 'python' : process.execPath,
  env,
  args: (_setting, prompt, turn) => [script(file), turn, prompt],
})

export const aiSdk = program(
  { name: 'ai-sdk', from: 'here', packages: ['@ai-sdk/openai', 'ai'] },
  'ai-sdk.ts',
)

export const anthropicToolRunner = program(
  { name: 'anthropic-tool-runner', from: 'here', packages: ['@anthropic-ai/sdk'] },
  'anthropic-tool-runner.ts',
)

export const openaiAgents = program(
  { name: 'openai-agents', from: 'pypi', packages: ['openai-agents'] },
  'openai_agents.py',
)
