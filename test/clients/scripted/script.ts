// What the scripted model does: it reads a conversation, in whichever wire format it came, and takes
// an agent through a job with the agent's own tools. Prompts begin with a mark that names the part:
//   [[job DIR]]     write DIR/note.txt, run a command, look at DIR/picture.png, answer
//   [[pdf DIR]]     look at DIR/paper.pdf, answer
//   [[again]]       say what the conversation holds
//   [[long N]]      stream for N seconds
//   [[tools]]       call the last of the tools tool_001 … tool_150, answer
//   [[edit]]        edit a file in the text itself, for agents without tools
// A request without a mark, or one without tools beside the work (a title, a check of topics), gets
// a short answer of the shape it asks for.

export type Tool = {
  name: string
  /** A tool of OpenAI's that takes text instead of JSON. */
  isFreeform?: boolean
  /** The group that a Responses client expects to be named in the call. */
  namespace?: string
  schema?: Schema
}

export type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  enum?: unknown[]
  items?: Schema
  anyOf?: Schema[]
}

/** One piece of a conversation. Pictures are counted wherever they are. */
export type Item =
  | { is: 'user' | 'assistant' | 'system' | 'result'; text: string }
  | { is: 'picture' }
  | { is: 'call'; name: string }

export type Seen = {
  isStream: boolean
  tools: Tool[]
  items: Item[]
  /** The schema that the answer must have. */
  answerSchema?: Schema | undefined
}

export type Step = {
  text: string
  /** How long a stream of the text lasts; 0 sends it at once. */
  seconds: number
  call?: { tool: Tool; input: Record<string, unknown> | string }
}

const mark = /\[\[(?<part>job|pdf|again|long|tools|edit)(?: (?<value>[^\]]+))?\]\]/

export function nextStep(seen: Seen): Step {
  const { items, tools, answerSchema } = seen
  const at = items.findLastIndex((item) => item.is === 'user' && mark.test(item.text))
  const asked = items[at]
  const found = asked?.is === 'user' ? mark.exec(asked.text)?.groups : undefined
  if (found?.part === 'edit') return say(edited(seen))
  // Some agents send an answered conversation once more, to keep notes of it.
  const isAnswered = items.slice(at).some((item) => item.is === 'assistant')
  if (found?.part === 'long' && !isAnswered) {
    return { text: longText, seconds: Number(found.value) }
  }
  if (answerSchema) return say(JSON.stringify(fill(answerSchema)))
  if (found?.part === 'again' && tools.length === 0) return say(`Second turn: ${remembered(seen)}.`)
  if (!found || tools.length === 0) return say('Noted.')
  const results = items.slice(at).filter((item) => item.is === 'result').length
  switch (found.part) {
    case 'job':
      return workOn(seen, found.value ?? '.', results)
    case 'pdf':
      return results === 0 ? viewing(seen, `${found.value}/paper.pdf`) : say('I have read it.')
    case 'tools':
      return callLast(seen, results)
    default:
      return say(`Second turn: ${remembered(seen)}.`)
  }
}

const say = (text: string): Step => ({ text, seconds: 0 })
/** No two parts are alike: the Gemini CLI stops a model that repeats itself. */
const longText = `${Array.from({ length: 499 }, (_, at) => `word-${at} `).join('')}end of the long stream.`

/** What arrived here of the conversation, in words that a test can look for. */
export function remembered({ items, tools }: Seen): string {
  const count = (is: Item['is']) => items.filter((item) => item.is === is).length
  return `${count('call')} calls, ${count('result')} results, ${count('picture')} pictures, ${tools.length} tools`
}

function workOn(seen: Seen, folder: string, results: number): Step {
  if (results === 0) return writing(seen, `${folder}/note.txt`)
  if (results === 1) return running(seen, 'echo it-ran > ran.txt && cat ran.txt', folder)
  if (results === 2) return viewing(seen, `${folder}/picture.png`)
  return say(`The job is done: ${remembered(seen)}.`)
}

const find = ({ tools }: Seen, names: RegExp): Tool | undefined =>
  tools.find(({ name }) => names.test(name))

function writing(seen: Seen, path: string): Step {
  const patch = find(seen, /(^|[_.-])apply_patch$/)
  if (patch) return call(patch, { text: addNote })
  const tool = find(seen, /^(write|write_?file|create_new_file)$/i)
  if (tool) return call(tool, { path, content: 'written by the agent\n' })
  return running(seen, `echo written by the agent > ${path}`, '.')
}

const addNote = '*** Begin Patch\n*** Add File: note.txt\n+written by the agent\n*** End Patch\n'

function running(seen: Seen, command: string, folder: string): Step {
  const tool = find(seen, /^(bash|shell|shell_command|exec_command|run_.*command)$/i)
  const cmd = `cd ${folder} && ${command}`
  if (tool) return call(tool, { command: cmd })
  return inCode(seen, `text(await tools.exec_command({ cmd: ${JSON.stringify(cmd)} }))`)
}

function viewing(seen: Seen, path: string): Step {
  const tool = find(seen, /^(view_image|read|read_?file)$/i)
  if (tool) return call(tool, { path })
  return inCode(seen, `image(await tools.view_image({ path: ${JSON.stringify(path)} }))`)
}

/** For an agent whose only tool runs a program that calls its other tools. */
function inCode(seen: Seen, text: string): Step {
  const tool = find(seen, /(^|[_.-])exec$/)
  return tool ? call(tool, { text }) : say(`There is no tool for this: ${remembered(seen)}.`)
}

/** Agents that keep long lists back offer a search, and then the tool that was found. */
function callLast(seen: Seen, results: number): Step {
  const tool = find(seen, /tool_150$/)
  const search = find(seen, /^(tool_search|ToolSearch)$/)
  const isCalled = seen.items.some((item) => item.is === 'call' && /tool_150$/.test(item.name))
  if (tool && !isCalled) return call(tool, { path: 'x' })
  if (search && results === 0) return call(search, { query: 'select:mcp__many__tool_150' })
  const offered = seen.tools.filter(({ name }) => /tool_\d{3}$/.test(name)).length
  return say(`Of the many tools I saw ${offered}: ${remembered(seen)}.`)
}

/** Agents name the same arguments differently; each is recognised by its name in the schema. */
const names: Record<string, RegExp> = {
  path: /^(absolute_?path|file_?path|filepath|path|target_file)$/i,
  content: /^(content|contents|file_text|text)$/i,
  command: /^(command|cmd)$/i,
  query: /^query$/,
  text: /^(input|text)$/,
}

function call(tool: Tool, meant: Record<string, string>): Step {
  if (tool.isFreeform) return { text: '', seconds: 0, call: { tool, input: meant.text ?? '' } }
  const { properties = {}, required = [] } = tool.schema ?? {}
  const input: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const known = Object.entries(meant).find(([meaning]) => names[meaning]?.test(name))
    if (known) input[name] = isList(schema) ? ['sh', '-c', known[1]] : known[1]
    else if (required.includes(name)) input[name] = fill(schema)
  }
  return { text: 'I use a tool.', seconds: 0, call: { tool, input } }
}

const isList = ({ type }: Schema): boolean => [type].flat().includes('array')

/** The least that satisfies the schema. */
function fill(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf?.[0]) return fill(schema.anyOf[0])
  const type = [schema.type].flat()[0]?.toLowerCase()
  if (type === 'object') {
    const { properties = {}, required = Object.keys(properties) } = schema
    return Object.fromEntries(required.map((name) => [name, fill(properties[name] ?? {})]))
  }
  if (type === 'array') return []
  if (type === 'boolean') return false
  return type === 'number' || type === 'integer' ? 1 : 'Scripted words'
}

/** A new file in the format that aider calls "whole". */
const edited = (seen: Seen): string =>
  `I write it (${remembered(seen)}).\n\nnote.txt\n\`\`\`\nwritten by the agent\n\`\`\`\n`
