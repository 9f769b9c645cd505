// The agents of the terminal. Each gets the settings that `atelier connect` writes, and besides
// them what a job without a person needs: permissions, and sometimes an MCP server.
import { join } from 'node:path'
import { settingsOf } from '../../../src/cli/agents/agent-settings.ts'
import { writeSettings } from '../../../src/cli/agents/settings-file.ts'
import type { Agent, Setting } from './agent.ts'

async function connected(name: string, setting: Setting): Promise<void> {
  for (const file of settingsOf(name)?.files(setting) ?? []) {
    await writeSettings(setting.home, file, { key: setting.key, nowMs: Date.now() })
  }
}

const addJson = ({ home, key }: Setting, path: string, value: Record<string, unknown>) =>
  writeSettings(home, { path, kind: 'json', value }, { key, nowMs: Date.now() })

const addText = ({ home, key }: Setting, path: string, text: string) =>
  writeSettings(home, { path, kind: 'entry', text }, { key, nowMs: Date.now() })

const mcpServers = ({ manyTools: [command, ...args] = [] }: Setting) =>
  command === undefined ? {} : { many: { command, args } }

export const claudeCode: Agent = {
  name: 'claude-code',
  from: 'npm',
  packages: ['@anthropic-ai/claude-code'],
  program: 'claude',
  ownModels: ['anthropic/claude-opus-5-5'],
  variants: [
    { model: 'claude-sonnet-5', readsPdf: true },
    { model: 'claude-opus-4-8' },
    { model: 'claude-sonnet-5', hasManyTools: true, env: { ENABLE_TOOL_SEARCH: 'true' } },
  ],
  prepare: async (setting) => {
    await connected('claude-code', setting)
    await addJson(setting, 'mcp.json', { mcpServers: mcpServers(setting) })
  },
  // The last lets it skip the questions about permissions as root, as in a container.
  env: () => ({ DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', IS_SANDBOX: '1' }),
  args: ({ home, manyTools }, prompt, turn) => [
    '-p',
    '--dangerously-skip-permissions',
    ...(manyTools ? ['--mcp-config', join(home, 'mcp.json')] : []),
    ...(turn === 'next' ? ['--continue'] : []),
    ...['--', prompt],
  ],
}

export const codex: Agent = {
  name: 'codex',
  from: 'npm',
  packages: ['@openai/codex'],
  program: 'codex',
  ownModels: ['openai/gpt-6-sol'],
  variants: [
    { model: 'gpt-6-sol' },
    { model: 'gpt-5.5' },
    { model: 'gpt-6-sol', hasManyTools: true },
  ],
  prepare: async (setting) => {
    await connected('codex', setting)
    const [command, ...args] = setting.manyTools ?? []
    if (command === undefined) return
    const server = `[mcp_servers.many]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\n`
    await addText(setting, '.codex/config.toml', server)
  },
  env: () => ({}),
  args: (_setting, prompt, turn) => [
    ...['exec', '--profile', 'atelier', '--skip-git-repo-check'],
    '--dangerously-bypass-approvals-and-sandbox',
    ...(turn === 'next' ? ['resume', '--last'] : []),
    prompt,
  ],
}

export const opencode: Agent = {
  name: 'opencode',
  from: 'npm',
  packages: ['opencode-ai'],
  program: 'opencode',
  variants: [{ model: 'scripted-model', readsPdf: true }],
  prepare: async (setting) => {
    await connected('opencode', setting)
    const { manyTools: command } = setting
    await addJson(setting, '.config/opencode/opencode.json', {
      autoupdate: false,
      permission: 'allow',
      ...(command ? { mcp: { many: { type: 'local', command } } } : {}),
    })
  },
  env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  args: (_setting, prompt, turn) => ['run', ...(turn === 'next' ? ['--continue'] : []), prompt],
}

export const qwenCode: Agent = {
  name: 'qwen-code',
  from: 'npm',
  packages: ['@qwen-code/qwen-code'],
  program: 'qwen',
  searchesTools: true,
  variants: [{ model: 'scripted-model', hasManyTools: true }],
  prepare: async (setting) => {
    const { url, model } = setting
    const server = { baseUrl: `${url}/v1`, envKey: 'ATELIER_API_KEY' }
    const generationConfig = { modalities: { image: true } }
    await addJson(setting, '.qwen/settings.json', {
      mcpServers: mcpServers(setting),
      security: { auth: { selectedType: 'openai' } },
      model: { name: model },
      modelProviders: { openai: [{ id: model, name: model, ...server, generationConfig }] },
    })
  },
  env: ({ key }) => ({ ATELIER_API_KEY: key }),
  args: (_setting, prompt, turn) => [
    '--yolo',
    ...(turn === 'next' ? ['--continue'] : []),
    ...['-p', prompt],
  ],
}

export const geminiCli: Agent = {
  name: 'gemini-cli',
  from: 'npm',
  packages: ['@google/gemini-cli'],
  program: 'gemini',
  ownModels: ['gemini/gemini-3.8-flash'],
  variants: [{ model: 'gemini-2.5-pro', readsPdf: true }, { model: 'gemini-3.1-pro-preview' }],
  prepare: async (setting) => {
    await connected('gemini-cli', setting)
    await addJson(setting, '.gemini/settings.json', {
      mcpServers: mcpServers(setting),
      privacy: { usageStatisticsEnabled: false },
    })
  },
  env: () => ({ GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
  args: (_setting, prompt, turn) => [
    ...['--yolo', '--skip-trust'],
    ...(turn === 'next' ? ['--resume', 'latest'] : []),
    ...['-p', prompt],
  ],
}

export const continueCli: Agent = {
  name: 'continue',
  from: 'npm',
  packages: ['@continuedev/cli'],
  program: 'cn',
  cannot: { picture: 'its tools return text only' },
  prepare: async (setting) => {
    await connected('continue', setting)
    const [command, ...args] = setting.manyTools ?? []
    if (command === undefined) return
    const server = `mcpServers:\n  - name: many\n    command: ${command}\n    args: ${JSON.stringify(args)}\n`
    await addText(setting, '.continue/atelier.yaml', server)
  },
  env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
  args: ({ home }, prompt, turn) => [
    ...['--config', join(home, '.continue/atelier.yaml'), '--auto'],
    ...(turn === 'next' ? ['--resume'] : []),
    ...['-p', prompt],
  ],
}

export const aider: Agent = {
  name: 'aider',
  from: 'pypi',
  packages: ['aider-chat'],
  program: 'aider',
  editsInText: true,
  ownModels: ['openai/gpt-6-sol', 'anthropic/claude-opus-5-5'],
  cannot: { tools: 'it has no tools' },
  prepare: async (setting) => {
    await connected('aider', setting)
    const known = { litellm_provider: 'openai', mode: 'chat', max_input_tokens: 200_000 }
    await addJson(setting, '.aider.model.metadata.json', {
      [`openai/${setting.model}`]: { ...known, supports_vision: true },
    })
  },
  env: () => ({}),
  args: (_setting, prompt, turn) => [
    ...['--edit-format', 'whole', '--no-git', '--yes-always', '--no-check-update'],
    ...['--no-show-model-warnings', '--analytics-disable', '--no-show-release-notes'],
    // The command that it runs after an edit, as others run one by a tool.
    ...['--file', 'picture.png', '--auto-test', '--test-cmd', 'echo it-ran > ran.txt'],
    ...(turn === 'next' ? ['--restore-chat-history'] : []),
    ...['--message', prompt],
  ],
}
