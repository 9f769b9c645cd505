// The agents of the terminal, each set up as its documentation says.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Agent, Setting } from './agent.ts'

async function write(path: string, content: string | object): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}

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
  prepare: (setting) => write(join(setting.home, 'mcp.json'), { mcpServers: mcpServers(setting) }),
  env: ({ url, key, model }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    // Lets it skip the questions about permissions as root, as in a container.
    IS_SANDBOX: '1',
  }),
  args: ({ home, manyTools }, prompt, turn) => [
    '-p',
    '--dangerously-skip-permissions',
    ...(manyTools ? ['--mcp-config', join(home, 'mcp.json')] : []),
    ...(turn === 'next' ? ['--continue'] : []),
    '--',
    prompt,
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
  prepare: ({ home, url, model, manyTools }) =>
    write(
      join(home, '.codex/config.toml'),
      [
        `model = "${model}"`,
        'model_provider = "atelier"',
        '[model_providers.atelier]',
        'name = "Atelier"',
        `base_url = "${url}/v1"`,
        'env_key = "ATELIER_API_KEY"',
        'wire_api = "responses"',
        ...(manyTools
          ? [
              '[mcp_servers.many]',
              `command = "${manyTools[0]}"`,
              `args = ${JSON.stringify(manyTools.slice(1))}`,
            ]
          : []),
      ].join('\n'),
    ),
  env: ({ key }) => ({ ATELIER_API_KEY: key }),
  args: (_setting, prompt, turn) => [
    'exec',
    ...(turn === 'next' ? ['resume', '--last'] : []),
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    prompt,
  ],
}

export const opencode: Agent = {
  name: 'opencode',
  from: 'npm',
  packages: ['opencode-ai'],
  program: 'opencode',
  variants: [{ model: 'scripted-model', readsPdf: true }],
  prepare: (setting) => {
    const { home, url, model } = setting
    const [command, ...args] = setting.manyTools ?? []
    return write(join(home, '.config/opencode/opencode.json'), {
      autoupdate: false,
      permission: 'allow',
      provider: {
        atelier: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${url}/v1`, apiKey: '{env:ATELIER_API_KEY}' },
          models: {
            [model]: {
              attachment: true,
              tool_call: true,
              modalities: { input: ['text', 'image', 'pdf'], output: ['text'] },
            },
          },
        },
      },
      ...(command ? { mcp: { many: { type: 'local', command: [command, ...args] } } } : {}),
    })
  },
  env: ({ key }) => ({ ATELIER_API_KEY: key, OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  args: ({ model }, prompt, turn) => [
    'run',
    '--model',
    `atelier/${model}`,
    ...(turn === 'next' ? ['--continue'] : []),
    prompt,
  ],
}

export const qwenCode: Agent = {
  name: 'qwen-code',
  from: 'npm',
  packages: ['@qwen-code/qwen-code'],
  program: 'qwen',
  searchesTools: true,
  variants: [{ model: 'scripted-model', hasManyTools: true }],
  prepare: (setting) =>
    write(join(setting.home, '.qwen/settings.json'), {
      mcpServers: mcpServers(setting),
      security: { auth: { selectedType: 'openai' } },
      model: { name: setting.model },
      modelProviders: {
        openai: [
          {
            id: setting.model,
            name: setting.model,
            baseUrl: `${setting.url}/v1`,
            envKey: 'ATELIER_API_KEY',
            generationConfig: { modalities: { image: true } },
          },
        ],
      },
    }),
  env: ({ key }) => ({ ATELIER_API_KEY: key }),
  args: (_setting, prompt, turn) => [
    '--yolo',
    ...(turn === 'next' ? ['--continue'] : []),
    '-p',
    prompt,
  ],
}

export const geminiCli: Agent = {
  name: 'gemini-cli',
  from: 'npm',
  packages: ['@google/gemini-cli'],
  program: 'gemini',
  ownModels: ['gemini/gemini-3.8-flash'],
  variants: [{ model: 'gemini-2.5-pro', readsPdf: true }, { model: 'gemini-3.1-pro-preview' }],
  prepare: (setting) =>
    write(join(setting.home, '.gemini/settings.json'), {
      mcpServers: mcpServers(setting),
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
    }),
  env: ({ url, key, model }) => ({
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
    GEMINI_MODEL: model,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  args: (_setting, prompt, turn) => [
    '--yolo',
    '--skip-trust',
    ...(turn === 'next' ? ['--resume', 'latest'] : []),
    '-p',
    prompt,
  ],
}

export const continueCli: Agent = {
  name: 'continue',
  from: 'npm',
  packages: ['@continuedev/cli'],
  program: 'cn',
  cannot: { picture: 'its tools return text only' },
  prepare: ({ home, url, key, model, manyTools }) =>
    write(
      join(home, '.continue/config.yaml'),
      [
        'name: Atelier',
        'version: 1.0.0',
        'schema: v1',
        'models:',
        '  - name: Atelier',
        '    provider: openai',
        `    model: ${model}`,
        `    apiBase: ${url}/v1`,
        `    apiKey: ${key}`,
        '    capabilities: [tool_use, image_input]',
        '    roles: [chat, edit]',
        ...(manyTools
          ? [
              'mcpServers:',
              '  - name: many',
              `    command: ${manyTools[0]}`,
              `    args: ${JSON.stringify(manyTools.slice(1))}`,
            ]
          : []),
      ].join('\n'),
    ),
  env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
  args: ({ home }, prompt, turn) => [
    '--config',
    join(home, '.continue/config.yaml'),
    '--auto',
    ...(turn === 'next' ? ['--resume'] : []),
    '-p',
    prompt,
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
  prepare: async ({ home, model }) => {
    const name = `openai/${model}`
    const known = { litellm_provider: 'openai', mode: 'chat', max_input_tokens: 200_000 }
    await write(join(home, 'models.json'), { [name]: { ...known, supports_vision: true } })
    // It sends a temperature of 0 otherwise, which models that think do not have.
    await write(join(home, 'settings.yml'), `- name: ${name}\n  use_temperature: false\n`)
  },
  env: ({ url, key }) => ({ OPENAI_API_BASE: `${url}/v1`, OPENAI_API_KEY: key }),
  args: ({ home, model }, prompt, turn) => [
    ...['--model', `openai/${model}`, '--edit-format', 'whole'],
    ...['--model-metadata-file', join(home, 'models.json')],
    ...['--model-settings-file', join(home, 'settings.yml')],
    ...['--no-git', '--yes-always', '--no-check-update', '--no-show-model-warnings'],
    ...['--analytics-disable', '--no-show-release-notes', '--file', 'picture.png'],
    // The command that it runs after an edit, as others run one by a tool.
    ...['--auto-test', '--test-cmd', 'echo it-ran > ran.txt'],
    ...(turn === 'next' ? ['--restore-chat-history'] : []),
    ...['--message', prompt],
  ],
}
