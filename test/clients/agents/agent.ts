// How one agent is installed, pointed at a server, and given a prompt without a person.

export type Setting = {
  /** The server, without a path. */
  url: string
  key: string
  model: string
  /** The agent's home, empty before its first start. */
  home: string
  /** The folder that it works in. */
  folder: string
  /** The command of an MCP server with 150 tools. */
  manyTools: string[] | undefined
}

export type Agent = {
  name: string
  /** `here`: a dependency of this project. */
  from: 'npm' | 'pypi' | 'here'
  packages: readonly [string, ...string[]]
  program: string
  /** The models that most people use it with, built into Atelier. */
  ownModels?: readonly string[]
  /** It has no tools: files are edited in the text of the answer. */
  editsInText?: boolean
  /** It keeps long lists of tools back, and offers a search instead. */
  searchesTools?: boolean
  /** What it cannot do with any server, with the reason. */
  cannot?: { picture?: string; tools?: string }
  /** Conversations to record besides the first: with a model it knows, or other settings. */
  variants?: readonly Variant[]
  /** Writes its settings. */
  prepare?(setting: Setting): Promise<void>
  env(setting: Setting): Record<string, string>
  args(setting: Setting, prompt: string, turn: 'first' | 'next'): string[]
}

export type Variant = {
  /** Agents send more to a model whose name they know. */
  model: string
  env?: Record<string, string>
  hasManyTools?: boolean
  readsPdf?: boolean
}
