// Every field that Google's own client can send has been decided on: it is carried, ignored for a
// reason or refused with a sentence. The types fail to compile when a new version adds one.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import {
  type Blob,
  type Content,
  type EmbedContentConfig,
  type FileData,
  type FunctionCall,
  type FunctionCallingConfig,
  type FunctionDeclaration,
  type FunctionResponse,
  type FunctionResponsePart,
  type GenerateContentConfig,
  type GenerationConfig,
  GoogleGenAI,
  type GoogleSearch,
  type Part,
  type SearchTypes,
  type ThinkingConfig,
  type Tool,
  type ToolConfig,
} from '@google/genai'
import { embedFields } from '#compat/gemini/embeddings.ts'
import { requestFields } from '#compat/gemini/generate-request.ts'
import { configFields, thinkingFields } from '#compat/gemini/generation-config.ts'
import {
  callFields,
  contentFields,
  fileFields,
  inlineFields,
  partFields,
  resultFields,
  resultPartFields,
} from '#compat/gemini/parts.ts'
import {
  callingFields,
  declarationFields,
  searchFields,
  searchTypeFields,
  toolConfigFields,
  toolFields,
} from '#compat/gemini/tools.ts'
import { type Decided, everyRow } from './decided.ts'

/** Options of the client itself, which it does not send. */
type OfClient = 'httpOptions' | 'abortSignal' | 'automaticFunctionCalling' | 'automaticContinuation'

// The client takes all options in one record and sends them in two: some beside the contents, the
// others as generationConfig.
const options = { ...requestFields, ...configFields }

const decided = {
  options: options satisfies Decided<GenerateContentConfig, OfClient>,
  config: configFields satisfies Decided<GenerationConfig>,
  content: contentFields satisfies Decided<Content>,
  part: partFields satisfies Decided<Part>,
  inline: inlineFields satisfies Decided<Blob>,
  file: fileFields satisfies Decided<FileData>,
  call: callFields satisfies Decided<FunctionCall>,
  result: resultFields satisfies Decided<FunctionResponse>,
  resultPart: resultPartFields satisfies Decided<FunctionResponsePart>,
  tool: toolFields satisfies Decided<Tool>,
  search: searchFields satisfies Decided<GoogleSearch>,
  searchType: searchTypeFields satisfies Decided<SearchTypes>,
  declaration: declarationFields satisfies Decided<FunctionDeclaration>,
  toolConfig: toolConfigFields satisfies Decided<ToolConfig>,
  calling: callingFields satisfies Decided<FunctionCallingConfig>,
  thinking: thinkingFields satisfies Decided<ThinkingConfig>,
  embed: embedFields satisfies Decided<EmbedContentConfig, OfClient>,
}

test('each field of a request for content is carried, ignored for a reason or refused in words', () => {
  for (const [name, words] of everyRow(decided)) assert.match(words, /\w/, name)
})

/** A value for each option that the client accepts for this API. */
const everyOption: Required<
  Omit<
    GenerateContentConfig,
    | OfClient
    // These the client sends to Google Cloud only.
    | 'routingConfig'
    | 'modelSelectionConfig'
    | 'audioTimestamp'
    | 'modelArmorConfig'
    | 'generationOutputConfig'
  >
> = {
  serviceTier: 'standard' as never,
  systemInstruction: 'Be brief.',
  temperature: 1,
  topP: 1,
  topK: 40,
  candidateCount: 1,
  maxOutputTokens: 9,
  stopSequences: ['END'],
  responseLogprobs: true,
  logprobs: 1,
  presencePenalty: 1,
  frequencyPenalty: 1,
  seed: 1,
  responseMimeType: 'application/json',
  responseSchema: {},
  responseJsonSchema: {},
  safetySettings: [],
  tools: [],
  toolConfig: {},
  labels: {},
  cachedContent: 'x',
  responseModalities: [],
  mediaResolution: 'MEDIA_RESOLUTION_LOW' as never,
  speechConfig: {},
  thinkingConfig: {},
  audioTranscriptionConfig: {},
  imageConfig: {},
  enableEnhancedCivicAnswers: true,
  continuationToken: 'x',
  store: true,
}

test('each option is read where the client sends it', async (t) => {
  let sent: { [name: string]: unknown; generationConfig?: object } = {}
  const server = createServer(async (request, response) => {
    sent = JSON.parse(Buffer.concat(await request.toArray()).toString())
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  t.after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const httpOptions = { baseUrl: `http://127.0.0.1:${port}` }
  const { models } = new GoogleGenAI({ apiKey: 'k', httpOptions })
  await models.generateContent({ model: 'm', contents: 'Hi', config: everyOption })
  const { generationConfig = {}, ...beside } = sent
  const names = [...Object.keys(beside), ...Object.keys(generationConfig)]
  assert.deepEqual(
    Object.keys(everyOption).filter((name) => !names.includes(name)),
    [],
  )
  assert.deepEqual(
    Object.keys(beside).filter((name) => !(name in requestFields)),
    [],
  )
  assert.deepEqual(
    Object.keys(generationConfig).filter((name) => !(name in configFields)),
    [],
  )
})
