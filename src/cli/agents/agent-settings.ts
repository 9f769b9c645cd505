// What each coding agent needs to use this server, in its own files. `npm run test:clients` takes
// the agents through a job with exactly these settings.

export type Target = { url: string; key: string; model: string }

/** A file below the home folder, and what has to be in it. */
export type SettingsFile = { path: string } & (
  | { kind: 'json'; value: Record<string, unknown> }
  /** One line for each name; `separator` is what follows the name. */
  | { kind: 'lines'; separator: '=' | ': '; values: Record<string, string> }
  /** An entry of a list, which begins with its first line. */
  | { kind: 'entry'; text: string }
  /** A file of our own, which no other program writes. */
  | { kind: 'own'; text: string }
)

type AgentSettings = {
  title: string
  /** The page below docs/agents. */
  page: string
  /** How it is started with these settings. */
  start: string
  files(target: Target): SettingsFile[]
  /** Variables that do the same for one shell, if it has any. */
  variables?(target: Target): Record<string, string>
}

const claudeVariables = ({ url, key, model }: Target) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_AUTH_TOKEN: key,
  ANTHROPIC_MODEL: model,
  // For titles and summaries; without it, a model is asked that this server may not have.
  ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
})

const geminiVariables = ({ url, key, model }: Target) => ({
  GOOGLE_GEMINI_BASE_URL: url,
  GEMINI_API_KEY: key,
  GEMINI_MODEL: model,
})

const opencodeConfig = ({ url, key, model }: Target) => ({
  model: `atelier/${model}`,
  provider: {
    atelier: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Atelier',
      options: { baseURL: `${url}/v1`, apiKey: key },
      models: {
        [model]: { attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } },
      },
    },
  },
})

const codexProfile = ({ url, key, model }: Target): string => `model = ${JSON.stringify(model)}
model_provider = "atelier"

[model_providers.atelier]
name = "Atelier"
base_url = ${JSON.stringify(`${url}/v1`)}
experimental_bearer_token = ${JSON.stringify(key)}
wire_api = "responses"
`

const continueConfig = ({ url, key, model }: Target): string => `name: Atelier
version: 1.0.0
schema: v1
models:
  - name: Atelier
    provider: openai
    model: ${JSON.stringify(model)}
    apiBase: ${JSON.stringify(`${url}/v1`)}
    apiKey: ${JSON.stringify(key)}
    capabilities: [tool_use, image_input]
    roles: [chat, edit, apply]
`

export const agentSettings = {
  'claude-code': {
    title: 'Claude Code',
    page: 'claude-code.md',
    start: 'claude',
    variables: claudeVariables,
    files: (target) => [
      { path: '.claude/settings.json', kind: 'json', value: { env: claudeVariables(target) } },
    ],
  },
  codex: {
    title: 'Codex',
    page: 'codex.md',
    start: 'codex --profile atelier',
    files: (target) => [
      { path: '.codex/atelier.config.toml', kind: 'own', text: codexProfile(target) },
    ],
  },
  'gemini-cli': {
    title: 'the Gemini CLI',
    page: 'gemini-cli.md',
    start: 'gemini',
    files: (target) => [
      { path: '.gemini/.env', kind: 'lines', separator: '=', values: geminiVariables(target) },
      // With another address, it does not find out by itself that there is a key.
      {
        path: '.gemini/settings.json',
        kind: 'json',
        value: { security: { auth: { selectedType: 'gemini-api-key' } } },
      },
    ],
  },
  opencode: {
    title: 'opencode',
    page: 'opencode.md',
    start: 'opencode',
    files: (target) => [
      { path: '.config/opencode/opencode.json', kind: 'json', value: opencodeConfig(target) },
    ],
  },
  aider: {
    title: 'aider',
    page: 'aider.md',
    start: 'aider',
    files: ({ url, key, model }) => [
      {
        path: '.aider.conf.yml',
        kind: 'lines',
        separator: ': ',
        values: {
          model: `openai/${model}`,
          'openai-api-base': `${url}/v1`,
          'openai-api-key': key,
        },
      },
      {
        path: '.aider.model.settings.yml',
        kind: 'entry',
        // It sends a temperature of 0 otherwise, which models that reason do not have.
        text: `- name: openai/${model}\n  use_temperature: false\n`,
      },
    ],
  },
  continue: {
    title: 'Continue',
    page: 'continue.md',
    start: 'cn --config ~/.continue/atelier.yaml',
    files: (target) => [
      { path: '.continue/atelier.yaml', kind: 'own', text: continueConfig(target) },
    ],
  },
} satisfies Record<string, AgentSettings>

export type AgentName = keyof typeof agentSettings

/** The settings of one agent; undefined if there is none of this name. */
export const settingsOf = (name: string): AgentSettings | undefined =>
  Object.hasOwn(agentSettings, name) ? agentSettings[name as AgentName] : undefined
