// Every field that OpenAI's own client can send has been decided on: it is carried, ignored for a
// reason or refused with a sentence. The types fail to compile when a new version adds one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type OpenAI from 'openai'
import { schemaFields } from '#compat/openai/call-fields.ts'
import * as chat from '#compat/openai/chat-request.ts'
import { embeddingFields } from '#compat/openai/embeddings.ts'
import { gatewayFields, reasoningFields, thinkingKinds } from '#compat/openai/gateway-fields.ts'
import { editFields, imageFields as pictureFields } from '#compat/openai/images.ts'
import { listFields, retrieveFields } from '#compat/openai/kept-queries.ts'
import {
  calledCustomFields,
  calledFields,
  callFields,
  messageFields,
} from '#compat/openai/messages.ts'
import {
  breakpointFields,
  chatParts,
  fileFields,
  imageFields,
  itemParts,
} from '#compat/openai/parts.ts'
import { itemKinds } from '#compat/openai/response-items.ts'
import { choiceKinds, toolKinds } from '#compat/openai/response-tools.ts'
import * as responses from '#compat/openai/responses-request.ts'
import { speechFields } from '#compat/openai/speech.ts'
import {
  allowedFields,
  chatChoiceKinds,
  chatCustomFields,
  chatFormatKinds,
  chatToolKinds,
  flatFormatKinds,
  functionFields,
  grammarFields,
} from '#compat/openai/tools.ts'
import { transcriptionFields } from '#compat/openai/transcriptions.ts'
import { type Decided, type DecidedKinds, everyRow } from './decided.ts'

type Items<List> = List extends readonly (infer Item)[] ? Item : never
type Kind<Union, Type> = Extract<Union, { type: Type }>
type Objects<Union> = Exclude<Union, string>

type Chat = OpenAI.ChatCompletionCreateParams
type OfChat<Name extends keyof Chat> = NonNullable<Chat[Name]>
type Message = Items<OfChat<'messages'>>
type Part = OpenAI.ChatCompletionContentPart | OpenAI.ChatCompletionContentPartRefusal
type Call = OpenAI.ChatCompletionMessageToolCall
type ChatTool = Items<OfChat<'tools'>>
type ChatCustom = Kind<ChatTool, 'custom'>['custom']
type ChatFormat = NonNullable<ChatCustom['format']>
type ChatChoice = Objects<OfChat<'tool_choice'>>

const decidedInChat = {
  request: chat.requestFields satisfies Decided<Chat>,
  format: chat.formatKinds satisfies DecidedKinds<OfChat<'response_format'>>,
  schema: schemaFields satisfies Decided<OpenAI.ResponseFormatJSONSchema['json_schema']>,
  stream: chat.streamFields satisfies Decided<OfChat<'stream_options'>>,
  message: messageFields satisfies Decided<Message>,
  call: callFields satisfies Decided<Call>,
  called: calledFields satisfies Decided<Kind<Call, 'function'>['function']>,
  calledCustom: calledCustomFields satisfies Decided<Kind<Call, 'custom'>['custom']>,
  part: chatParts satisfies DecidedKinds<Part>,
  image: imageFields satisfies Decided<Kind<Part, 'image_url'>['image_url']>,
  file: fileFields satisfies Decided<Kind<Part, 'file'>['file']>,
  breakpoint: breakpointFields satisfies Decided<
    NonNullable<Kind<Part, 'text'>['prompt_cache_breakpoint']>
  >,
  tool: chatToolKinds satisfies DecidedKinds<ChatTool>,
  function: functionFields satisfies Decided<OpenAI.FunctionDefinition>,
  custom: chatCustomFields satisfies Decided<ChatCustom>,
  customFormat: chatFormatKinds satisfies DecidedKinds<ChatFormat>,
  grammar: grammarFields satisfies Decided<Kind<ChatFormat, 'grammar'>['grammar']>,
  choice: chatChoiceKinds satisfies DecidedKinds<ChatChoice>,
  allowed: allowedFields satisfies Decided<Kind<ChatChoice, 'allowed_tools'>['allowed_tools']>,
}

type Request = OpenAI.Responses.ResponseCreateParams
type Of<Name extends keyof Request> = NonNullable<Request[Name]>
type Item = Items<Objects<Of<'input'>>>
type Typed<Union> = Union extends { type?: infer Type }
  ? Union & { type: NonNullable<Type> }
  : never
type ItemPart =
  | OpenAI.Responses.ResponseInputContent
  | OpenAI.Responses.ResponseFunctionCallOutputItem
  | OpenAI.Responses.ResponseOutputText
  | OpenAI.Responses.ResponseOutputRefusal
type Tool = Items<Of<'tools'>>
type Nested = Items<Kind<Tool, 'namespace'>['tools']>

const decidedInResponses = {
  retrieval: retrieveFields satisfies Decided<OpenAI.Responses.ResponseRetrieveParams>,
  itemList: listFields satisfies Decided<OpenAI.Responses.InputItemListParams>,
  request: responses.requestFields satisfies Decided<Request>,
  reasoning: responses.reasoningFields satisfies Decided<Of<'reasoning'>>,
  text: responses.textFields satisfies Decided<Of<'text'>>,
  format: responses.formatKinds satisfies DecidedKinds<NonNullable<Of<'text'>['format']>>,
  item: itemKinds satisfies DecidedKinds<Typed<Item>>,
  part: itemParts satisfies DecidedKinds<ItemPart>,
  tool: toolKinds satisfies DecidedKinds<Tool>,
  nested: toolKinds satisfies DecidedKinds<Nested>,
  customFormat: flatFormatKinds satisfies DecidedKinds<NonNullable<Kind<Tool, 'custom'>['format']>>,
  choice: choiceKinds satisfies DecidedKinds<Objects<Of<'tool_choice'>>>,
}

const decidedElsewhere = {
  embedding: embeddingFields satisfies Decided<OpenAI.EmbeddingCreateParams>,
  picture: pictureFields satisfies Decided<OpenAI.ImageGenerateParams>,
  edit: editFields satisfies Decided<OpenAI.ImageEditParams>,
  speech: speechFields satisfies Decided<OpenAI.Audio.SpeechCreateParams>,
  transcription: transcriptionFields satisfies Decided<OpenAI.Audio.TranscriptionCreateParams>,
}

test('each field of a chat completion is carried, ignored for a reason or refused in words', () => {
  const others = { gatewayFields, reasoningFields, thinkingKinds }
  for (const [name, words] of everyRow({ ...decidedInChat, ...others }))
    assert.match(words, /\w/, name)
})

test('each field of a response is carried, ignored for a reason or refused in words', () => {
  for (const [name, words] of everyRow(decidedInResponses)) assert.match(words, /\w/, name)
})

test('so is each field of embeddings, images, speech and transcripts', () => {
  for (const [name, words] of everyRow(decidedElsewhere)) assert.match(words, /\w/, name)
})
