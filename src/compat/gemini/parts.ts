// The parts that the contents of a request consist of, and what becomes of each field of them.
import type { RawPart } from '#core/chat-content.ts'
import {
  anything,
  FieldProblem,
  flag,
  ignored,
  problemAt,
  type Read,
  readFields,
  record,
  refused,
  required,
  rowsOf,
  someText,
  text,
  unsupported,
} from '../field-table.ts'
import { fields, several } from './fields.ts'

export type GivenCall = { id?: string; name?: string; args?: object }
export type GivenResult = { id?: string; name?: string; response?: object; parts?: RawPart[] }

/** What a part says. Each has text, a file, a call or the result of one. */
export type GivenPart = {
  text?: string
  file?: RawPart
  call?: GivenCall
  result?: GivenResult
  isThought?: boolean
  signature?: string
}

type File = { mimeType?: string; data?: string; fileUri?: string; displayName?: string }

const file = rowsOf<File>()
const mimeType = file('mimeType', 'what it is', someText)
const displayName = file('displayName', 'its name', text)

export const inlineFields = {
  mimeType,
  displayName,
  data: file('data', 'its bytes, in base64', text),
}

export const fileFields = {
  mimeType,
  displayName,
  fileUri: file('fileUri', 'its address', someText),
}

const isPicture = (mimeType: string): boolean => mimeType.startsWith('image/')
const isText = (mimeType: string): boolean =>
  mimeType.startsWith('text/') || mimeType === 'application/json'

const unreadable = (mimeType: string): FieldProblem => {
  const problem = unsupported(`(${mimeType}) is not supported: send pictures, PDFs or text`)
  problem.path.push('mimeType')
  return problem
}

function partAt(url: string, mimeType: string, name: string | undefined): RawPart {
  if (isPicture(mimeType)) return { type: 'image_url', url }
  if (mimeType !== 'application/pdf') throw unreadable(mimeType)
  return { type: 'document', url, ...(name === undefined ? {} : { name }) }
}

export const inlineData: Read<RawPart> = (value) => {
  const { mimeType: given, data, displayName } = readFields<File>(inlineFields, fields(value), {})
  const mimeType = required(given, 'mimeType').toLowerCase()
  const base64 = required(data, 'data')
  if (isText(mimeType)) return { type: 'text', text: Buffer.from(base64, 'base64').toString() }
  return partAt(`data:${mimeType};base64,${plainBase64(base64)}`, mimeType, displayName)
}

/** Google's clients may write base64 in the form for addresses. */
const plainBase64 = (data: string): string =>
  /[-_]/.test(data) ? Buffer.from(data, 'base64url').toString('base64') : data

/** The addresses of files that only Google can read. */
const isOfGoogle = (uri: string): boolean =>
  !/^https?:/i.test(uri) ||
  !URL.canParse(uri) ||
  /^https:\/\/[^/]*googleapis\.com\/[^?]*\bfiles\//i.test(uri)

export const fileData: Read<RawPart> = (value) => {
  const { mimeType, fileUri, displayName } = readFields<File>(fileFields, fields(value), {})
  const url = required(fileUri, 'fileUri')
  if (isOfGoogle(url)) {
    const why = 'must be an address that this server can read: send the data itself as inlineData'
    throw problemAt('fileUri', why, 'UNSUPPORTED_PARAMETER')
  }
  const guessed = /\.pdf$/i.test(new URL(url).pathname) ? 'application/pdf' : 'image/*'
  return partAt(url, mimeType?.toLowerCase() ?? guessed, displayName)
}

const call = rowsOf<GivenCall>()

export const callFields = {
  id: call('id', 'the id of the call', text),
  name: call('name', 'the name of the function', someText),
  args: call('args', 'its arguments', record),
  partialArgs: refused('is not supported: send the call whole, with args'),
  willContinue: refused('is not supported: send the call whole'),
}

const processing = ignored('the vendor of the model decides how it reads a file')

type ResultPart = { file?: RawPart }
const resultPart = rowsOf<ResultPart>()

export const resultPartFields = {
  inlineData: resultPart('file', 'a picture or a PDF', inlineData),
  fileData: resultPart('file', 'the same by its address', fileData),
  mediaProcessing: processing,
}

const readResultPart: Read<RawPart> = (value) =>
  required(readFields<ResultPart>(resultPartFields, fields(value), {}).file, 'inlineData')

const result = rowsOf<GivenResult>()

export const resultFields = {
  id: result('id', 'the call that it answers; without it, the first of its name', text),
  name: result('name', 'the name of the function', someText),
  response: result('response', 'the result; `output` and `error` are text', record),
  parts: result('parts', 'its pictures and PDFs', several(readResultPart)),
  scheduling: ignored('the model answers when all results are there'),
  willContinue: refused('is not supported: send each result whole'),
}

const part = rowsOf<GivenPart>()

/** What a hosted tool did in an earlier answer. */
const hosted = (name: string) =>
  part('text', 'a text, as Google wrote it', (value) => `[${name}] ${JSON.stringify(value)}`)

export const partFields = {
  text: part('text', 'the text', text),
  thought: part('isThought', 'the mark of a thought', flag),
  thoughtSignature: part('signature', 'of a call: goes back to the vendor that wrote it', text),
  inlineData: part('file', 'a picture, a PDF or a text', inlineData),
  fileData: part('file', 'a picture or a PDF by its address', fileData),
  functionCall: part('call', 'a call of a function', (value) =>
    readFields<GivenCall>(callFields, fields(value), {}),
  ),
  functionResponse: part('result', 'the result of a call', (value) =>
    readFields<GivenResult>(resultFields, fields(value), {}),
  ),
  executableCode: hosted('executableCode'),
  codeExecutionResult: hosted('codeExecutionResult'),
  toolCall: hosted('toolCall'),
  toolResponse: hosted('toolResponse'),
  audioTranscription: hosted('audioTranscription'),
  mediaResolution: processing,
  mediaProcessing: processing,
  videoMetadata: refused('is not supported: there are no videos in a conversation'),
  partMetadata: ignored('it is a note for your own program'),
  speechMetadata: refused('is not supported: answers are text'),
}

/** Fields of which a part has one. The others describe it. */
const contents = [
  ...['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse', 'executableCode'],
  ...['codeExecutionResult', 'toolCall', 'toolResponse', 'audioTranscription'],
]

export const readPart: Read<GivenPart> = (value) => {
  const given = fields(value)
  const read = readFields<GivenPart>(partFields, given, {})
  const present = contents.filter((name) => (given[name] ?? '') !== '')
  if (present.length > 1) throw new FieldProblem(`may not have both ${present.join(' and ')}`)
  if (present.length === 1 || read.text !== undefined || read.signature !== undefined) return read
  throw new FieldProblem('must have text, inlineData, fileData, functionCall or functionResponse')
}

type GivenContent = { role?: string; parts?: GivenPart[] }
const content = rowsOf<GivenContent>()

export const contentFields = {
  role: content('role', 'whose turn it is', anything as Read<string>),
  parts: content('parts', 'its parts', several(readPart)),
}

export const readContent: Read<GivenContent> = (value) =>
  readFields<GivenContent>(contentFields, fields(value), {})
