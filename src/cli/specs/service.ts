import type { Command } from '../command.ts'

export const signIn =
  'Uses the key in ATELIER_API_KEY if it has the scope developer. Otherwise it signs in with the e-mail and password in ATELIER_EMAIL and ATELIER_PASSWORD, or asks for them.'

const atMachine =
  "Run it on the server's machine, with the server's environment (DATA_DIR, DATABASE_URL)."

const account = {
  name: 'ACCOUNT',
  kind: 'one',
  help: 'Identifier of the account, or the e-mail of somebody in it.',
} as const

/** Commands about the server itself. */
export const serverCommands: readonly Command[] = [
  {
    name: 'start',
    summary: 'Start a server on this machine',
    about:
      'The same server as "npm start", configured by the environment (docs/configuration.md). Ctrl-C stops it.',
    json: false,
    load: async () => (await import('../commands/start.ts')).start,
  },
  {
    name: 'doctor',
    summary: 'Check configuration, data, providers and the server',
    about:
      'Asks each configured provider whether it accepts the key, with calls that cost nothing. Ends with 1 if anything failed. For a server on another machine only the connection is checked.',
    options: {
      media: {
        kind: 'flag',
        help: 'Also read all media and compare each file with its checksum.',
      },
    },
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  {
    name: 'rotate-secret-key',
    summary: 'Replace the key that encrypts stored secrets',
    about:
      'For a server on this machine whose key is in its data folder. Writes a new key and keeps the present one beside it; the next start of the server encrypts everything again (docs/operating.md).',
    load: async () => (await import('../commands/rotate-secret-key.ts')).rotateSecretKey,
  },
  {
    name: 'reset-owner',
    summary: 'Create a link to set a new password for the owner',
    about: `${atMachine} The link works once, for an hour, and also turns two-step sign-in off. On SQLite the server must run, or be started within that hour.`,
    load: async () => (await import('../commands/owner.ts')).resetOwner,
  },
  {
    name: 'owner-key',
    summary: 'Create a new API key for the owner, in DATA_DIR/owner.key',
    about: `${atMachine} The previous owner.key is revoked. On SQLite the key works once the server runs.`,
    load: async () => (await import('../commands/owner.ts')).ownerKey,
  },
  {
    name: 'accounts list',
    summary: 'List the accounts of the server and their people',
    about: atMachine,
    load: async () => (await import('../commands/accounts.ts')).listAccounts,
  },
  {
    name: 'accounts disable',
    summary: 'Refuse the people, keys and tokens of an account',
    about: `${atMachine} They are answered with 403 ACCOUNT_DISABLED within 5 seconds; runs in progress continue. On SQLite a stopped server applies it when it starts.`,
    positionals: [account],
    load: async () => (await import('../commands/accounts.ts')).disableAccount,
  },
  {
    name: 'accounts enable',
    summary: 'Let an account that was disabled in again',
    about: atMachine,
    positionals: [account],
    load: async () => (await import('../commands/accounts.ts')).enableAccount,
  },
]

const writes = { kind: 'flag', help: 'Change the files, after a copy of each.' } as const

/** Commands about the models of the server. */
export const modelCommands: readonly Command[] = [
  {
    name: 'models discover',
    summary: 'Find the models of a server that speaks OpenAI’s protocol',
    about: `Ollama, llama.cpp, vLLM, LiteLLM and others. Shows which of their models MODELS_FILE has; --write adds those that are new. ${atMachine}`,
    positionals: [
      { name: 'ADDRESS', kind: 'one', help: 'Of the server, or an endpoint of MODELS_FILE.' },
    ],
    options: {
      name: {
        kind: 'text',
        value: 'NAME',
        help: 'What a new endpoint is called. Default: the program that answers.',
      },
      'key-variable': {
        kind: 'text',
        value: 'VARIABLE',
        help: 'The environment variable that holds its key.',
      },
      free: { kind: 'flag', help: 'Calls cost nothing: price the new models at 0.' },
      write: writes,
    },
    examples: ['atelier models discover http://127.0.0.1:11434 --free --write'],
    load: async () => (await import('../commands/server-models.ts')).discoverModels,
  },
  {
    name: 'models refresh',
    summary: 'Show what a newer list of prices changes, and take it',
    about: `Reads LiteLLM’s list, that of models.dev, or one of your own (docs/models.md). Shows new prices, models that end, and models that this server does not list; --write keeps the list in PRICES_FILE. ${atMachine}`,
    positionals: [{ name: 'SOURCE', kind: 'one', help: 'A file, or an address.' }],
    options: {
      add: {
        kind: 'list',
        value: 'MODEL',
        help: 'With --write, also add this new model to MODELS_FILE. May be repeated.',
      },
      write: writes,
    },
    examples: ['atelier models refresh https://models.dev/api.json --write'],
    load: async () => (await import('../commands/server-models.ts')).refreshModels,
  },
]

/** Commands about access to the server. */
export const accessCommands: readonly Command[] = [
  {
    name: 'keys list',
    summary: 'List the API keys of your account',
    about: signIn,
    load: async () => (await import('../commands/keys.ts')).listKeys,
  },
  {
    name: 'keys create',
    summary: 'Create an API key and print it, only this once',
    about: signIn,
    options: {
      name: { kind: 'text', value: 'NAME', help: 'Name to recognise the key by. Required.' },
      scope: {
        kind: 'list',
        value: 'SCOPE',
        help: 'What it may do, such as models:read. May be repeated. Default: everything.',
      },
      expires: {
        kind: 'text',
        value: 'DATE',
        help: 'When it expires, such as 2030-01-31 or a full time.',
      },
    },
    load: async () => (await import('../commands/keys.ts')).createKey,
  },
  {
    name: 'keys revoke',
    summary: 'Revoke an API key immediately',
    about: signIn,
    positionals: [{ name: 'KEY_ID', kind: 'one', help: 'As "keys list" shows it.' }],
    load: async () => (await import('../commands/keys.ts')).revokeKey,
  },
  {
    name: 'connect',
    summary: 'Make a key for a coding agent, and the settings to use it with',
    about: `AGENT is claude-code, codex, gemini-cli, opencode, aider or continue (docs/agents). Prints the settings; --write puts them into the files of the agent, after a copy of each file that changes. The key can list models and chat, and nothing else. ${signIn}`,
    positionals: [{ name: 'AGENT', kind: 'one', help: 'Which agent.' }],
    options: {
      model: { kind: 'text', value: 'MODEL', help: 'As "atelier models" shows it.' },
      limit: { kind: 'number', value: 'USD', help: 'Most it may spend in a month. Default: 20.' },
      write: { kind: 'flag', help: 'Change the files of the agent.' },
    },
    examples: [
      'atelier connect codex --limit 50 --write',
      'eval "$(atelier connect claude-code --model anthropic/claude-opus-5-5)" && claude',
    ],
    load: async () => (await import('../commands/connect.ts')).connectAgent,
  },
  {
    name: 'mcp',
    summary: 'Serve the tools to an agent over standard input and output',
    about:
      'A Model Context Protocol server for programs that start one as a child process. It forwards to /mcp of the running server, with the key found here.',
    json: false,
    options: {
      workflows: { kind: 'flag', help: 'Also offer each stored workflow as a tool.' },
      schemas: { kind: 'flag', help: 'List the tools with the schemas of their results.' },
    },
    load: async () => (await import('../commands/mcp.ts')).mcp,
  },
]
