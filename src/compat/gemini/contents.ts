// The conversation of a request. A stream of Google's is kept by clients as many contents, so that
// those of one answer follow one another and are put together here.
import { type RawPart, RawParts } from '#core/chat-content.ts'
import type { CallMessage, ToolAnswer } from '#core/generation.ts'
import type { Thought, ToolCall } from '#core/text-stream.ts'
import { contentOf, refuseBlank } from '../content.ts'
import { FieldProblem, problemAt, type Read, required, within } from '../field-table.ts'
import { maxToolCalls } from '../limits.ts'
import { unpackThoughts } from '../thoughts.ts'
import { several } from './fields.ts'
import { type GivenCall, type GivenPart, type GivenResult, readContent } from './parts.ts'
import { openSignature } from './signatures.ts'

type Role = 'user' | 'model'
type Content = { role: Role; parts: GivenPart[] }

const roles: Record<string, Role> = { user: 'user', function: 'user', model: 'model' }

const readTurn: Read<Content> = (value) => {
  const { role = 'user', parts = [] } = readContent(value)
  const known = Object.hasOwn(roles, role) ? roles[role] : undefined
  if (known) return { role: known, parts }
  throw problemAt('role', 'must be user, model or function')
}

/** Text only. */
export const readInstruction: Read<string> = (value) => {
  const { parts = [] } = readContent(value)
  return parts.map((part, index) => within(index, () => wordsOf(part))).join('\n')
}

function wordsOf({ text, file }: GivenPart): string {
  if (text !== undefined) return text
  if (file?.type === 'text') return file.text
  throw new FieldProblem('must be text')
}

/** Calls of the last answer that wait for their results. */
type Open = Map<string, ToolCall>

export const readContents: Read<CallMessage[]> = (value) => {
  const open: Open = new Map()
  const messages: CallMessage[] = []
  let callsSoFar = 0
  let answer: Answer | null = null
  for (const [index, { role, parts }] of several(readTurn)(value).entries()) {
    if (role === 'user') {
      if (answer) messages.push(messageOf(answer))
      answer = null
      messages.push(...within(index, () => readUser(parts, open)))
      continue
    }
    if (answer === null && open.size > 0) throw unanswered()
    const current: Answer = answer ?? { said: [], calls: [], seen: [] }
    answer = current
    for (const [place, part] of parts.entries()) {
      inPart(index, place, () => addPart(current, part, open, callsSoFar))
      if (part.call) callsSoFar++
    }
  }
  if (open.size > 0) throw unanswered()
  if (answer) messages.push(messageOf(answer))
  const spoken = messages.filter((message) => !isSilent(message))
  refuseBlank(spoken)
  return spoken
}

const inPart = <Value>(index: number, place: number, read: () => Value): Value =>
  within(index, () => within('parts', () => within(place, read)))

/** Providers refuse an answer that says nothing. */
const isSilent = (message: CallMessage): boolean =>
  message.role === 'assistant' && message.content === '' && !message.toolCalls

const unanswered = () =>
  new FieldProblem('must contain a functionResponse for each functionCall, right after it')

type Result = ToolAnswer & { files: RawPart[] }

/** Results come first, because every vendor wants them right after their calls. */
function readUser(parts: GivenPart[], open: Open): CallMessage[] {
  const results: Result[] = []
  const rest: RawPart[] = []
  let last: Result | undefined
  let isRepeated = false
  for (const [index, part] of parts.entries()) {
    const { call, result, file } = part
    if (call) throw misplaced(index, 'functionCall')
    if (result) {
      const before = results.find((one) => isSame(one, result))
      last = before ?? within('parts', () => within(index, () => resultOf(result, open)))
      isRepeated = before !== undefined
      if (!before) results.push(last)
    } else if (file && last && rest.length === 0) {
      // Clients put the files of a result beside it for models that take none within it.
      if (!isRepeated || !last.files.some((one) => isSameFile(one, file))) last.files.push(file)
    } else rest.push(file ?? { type: 'text', text: part.text ?? '' })
  }
  if (open.size > 0 && results.length === 0) throw unanswered()
  const answers = results.map(({ files, ...result }) => withFiles(result, files))
  return rest.length === 0 ? answers : [...answers, { role: 'user', content: contentOf(rest) }]
}

/** The Gemini CLI sends each result twice after it has opened an earlier session. */
const isSame = ({ toolCallId, content }: Result, { id, response = {} }: GivenResult): boolean =>
  toolCallId === id && content === wordsOfResult(response).content

const isSameFile = (one: RawPart, other: RawPart): boolean =>
  one.type === 'text' || other.type === 'text' ? one === other : one.url === other.url

function misplaced(index: number, name: string): FieldProblem {
  const problem = problemAt(name, wrongRole)
  problem.path.unshift('parts', index)
  return problem
}

const withFiles = (result: ToolAnswer, files: readonly RawPart[]): ToolAnswer =>
  files.length === 0
    ? result
    : {
        ...result,
        content: new RawParts([{ type: 'text', text: String(result.content) }, ...files]),
      }

function resultOf(given: GivenResult, open: Open): Result {
  const { id, name, response = {}, parts: files = [] } = given
  const called = (id === undefined ? undefined : open.get(id)) ?? firstOf(open, name)
  if (!called) {
    const why = 'does not match a functionCall of the preceding content'
    throw problemAt('functionResponse', why)
  }
  open.delete(called.id)
  return { role: 'tool', toolCallId: called.id, ...wordsOfResult(response), files: [...files] }
}

const firstOf = (open: Open, name: string | undefined): ToolCall | undefined =>
  open.values().find((call) => call.name === name)

/** Google's convention: `output` is what a function returned, `error` how it failed. */
function wordsOfResult(response: object): Pick<ToolAnswer, 'content' | 'isError'> {
  const [entry, ...others] = Object.entries(response)
  const [key, value] = entry ?? []
  const isPlain = others.length === 0 && typeof value === 'string'
  if (isPlain && key === 'output') return { content: value }
  if (isPlain && key === 'error') return { content: value, isError: true }
  return { content: JSON.stringify(response) }
}

/** An answer of the model, as far as it was read. */
type Answer = { said: RawPart[]; calls: ToolCall[]; seen: Thought[] }

function addPart({ said, calls, seen }: Answer, part: GivenPart, open: Open, callsSoFar: number) {
  if (part.result) throw problemAt('functionResponse', wrongRole)
  if (part.call) {
    if (calls.length === maxToolCalls) {
      throw new FieldProblem(`exceeds the limit of ${maxToolCalls} calls per answer`)
    }
    const call = callOf(part.call, part.signature, callsSoFar)
    if (open.has(call.id)) throw problemAt('functionCall', 'has an id that is used more than once')
    open.set(call.id, call)
    calls.push(call)
  } else if (part.isThought) {
    if (part.text) seen.push({ text: part.text })
  } else if (part.file || part.text) said.push(part.file ?? { type: 'text', text: part.text ?? '' })
}

const wrongRole = 'cannot be in a content of this role'

/** The pieces of a stream are one text. */
function messageOf({ said, calls, seen }: Answer): CallMessage {
  const { toolCalls, thoughts = seen } = unpackThoughts(calls)
  const isPlain = said.every(({ type }) => type === 'text')
  return {
    role: 'assistant',
    content: isPlain ? said.map(textIn).join('') : new RawParts(said),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(thoughts.length === 0 ? {} : { thoughts }),
  }
}

const textIn = (part: RawPart): string => (part.type === 'text' ? part.text : '')

/** A call without an id gets one that is the same in every request of the conversation. */
function callOf(
  { id, name, args = {} }: GivenCall,
  signature: string | undefined,
  callsSoFar: number,
): ToolCall {
  const signed = signature === undefined ? {} : { signature: openSignature(signature) }
  return {
    id: id || `call_${callsSoFar}`,
    name: within('functionCall', () => required(name, 'name')),
    arguments: JSON.stringify(args),
    ...signed,
  }
}
