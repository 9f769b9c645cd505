import type { Agent } from './agent.ts'
import { aiSdk, anthropicToolRunner, openaiAgents } from './sdk.ts'
import { aider, claudeCode, codex, continueCli, geminiCli, opencode, qwenCode } from './terminal.ts'

export const agents: readonly Agent[] = [
  claudeCode,
  codex,
  geminiCli,
  opencode,
  qwenCode,
  continueCli,
  aider,
  aiSdk,
  openaiAgents,
  anthropicToolRunner,
]
