// Every field that Anthropic's own client can send has been decided on: it is carried, ignored for a
// reason or refused with a sentence. The types fail to compile when a new version adds one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type Anthropic from '@anthropic-ai/sdk'
import {
  documentSources,
  imageSources,
  instructionBlocks,
  messageBlocks,
  resultBlocks,
} from '#compat/anthropic/blocks.ts'
import { messageFields } from '#compat/anthropic/messages.ts'
import {
  contextFields,
  editKinds,
  formatKinds,
  outputFields,
  requestFields,
  thinkingKinds,
} from '#compat/anthropic/messages-request.ts'
import { choiceKinds, toolKinds } from '#compat/anthropic/tools.ts'
import { type Decided, type DecidedKinds, everyRow } from './decided.ts'

type Request = Anthropic.Beta.Messages.MessageCreateParams
/** Sent as headers. */
type Headers = 'betas' | 'user_profile_id' | 'workspace_id'
type Of<Name extends keyof Request> = NonNullable<Request[Name]>
type Items<List> = List extends readonly (infer Item)[] ? Item : never
type Message = Items<Request['messages']>
type Block = Items<Exclude<Message['content'], string | undefined>>
type Result = Extract<Block, { type: 'tool_result' }>
type Tool = Items<Of<'tools'>>
type Custom = Extract<Tool, { type?: 'custom' | null }>

const decided = {
  request: requestFields satisfies Decided<Request, Headers>,
  message: messageFields satisfies Decided<Message>,
  block: messageBlocks satisfies DecidedKinds<Block>,
  result: resultBlocks satisfies DecidedKinds<
    Items<Exclude<Result['content'], string | undefined>>
  >,
  system: instructionBlocks satisfies DecidedKinds<Items<Exclude<Of<'system'>, string>>>,
  image: imageSources satisfies DecidedKinds<Extract<Block, { type: 'image' }>['source']>,
  document: documentSources satisfies DecidedKinds<Extract<Block, { type: 'document' }>['source']>,
  tool: toolKinds satisfies Record<NonNullable<Tool['type']>, object>,
  custom: toolKinds.custom satisfies Decided<Custom>,
  choice: choiceKinds satisfies DecidedKinds<Of<'tool_choice'>>,
  thinking: thinkingKinds satisfies DecidedKinds<Of<'thinking'>>,
  output: outputFields satisfies Decided<Of<'output_config'>>,
  format: formatKinds satisfies DecidedKinds<Of<'output_format'>>,
  context: contextFields satisfies Decided<Of<'context_management'>>,
  edit: editKinds satisfies DecidedKinds<Items<NonNullable<Of<'context_management'>['edits']>>>,
}

test('each field of a message request is carried, ignored for a reason or refused in words', () => {
  for (const [name, words] of everyRow(decided)) assert.match(words, /\w/, name)
})
