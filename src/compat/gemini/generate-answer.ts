// Answers in Google's format. A stream consists of pieces of the same shape.
import type { Failure } from '#core/errors.ts'
import type { GeneratedText, StreamEvent } from '#core/generation.ts'
import type { Hosted, Thought, ToolCall } from '#core/text-stream.ts'
import { totalTokens } from '#core/usage.ts'
import { argumentsOf } from '../call-arguments.ts'
import { createThoughtReader } from '../thoughts.ts'
import { firstSignature } from './signatures.ts'

type Begin = Pick<GeneratedText, 'id' | 'modelId'>
type End = Pick<GeneratedText, 'finish' | 'usage' | 'costMicros'>

type Part = {
  text?: string
  thought?: true
  functionCall?: { id: string; name: string; args: object }
  thoughtSignature?: string
}

/** Thoughts are shown only to those who ask for them, as Google does. */
export type Shown = { showThoughts?: boolean | undefined }

const headOf = ({ id, modelId }: Begin) => ({ modelVersion: modelId, responseId: id })

const candidate = (parts: Part[], ending: object = {}) => ({
  content: { role: 'model', parts },
  ...ending,
  index: 0,
})

const endingOf = ({ finish }: End) => ({
  finishReason: finish === 'length' ? 'MAX_TOKENS' : 'STOP',
})

/**
 * Google counts thoughts apart from the answer. `cost` (in US dollars) is our addition; null if no
 * price is known.
 */
function usageOf({ usage, costMicros }: End) {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens = 0 } = usage
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens - reasoningTokens,
    totalTokenCount: totalTokens(usage),
    ...(reasoningTokens > 0 ? { thoughtsTokenCount: reasoningTokens } : {}),
    ...(cachedInputTokens ? { cachedContentTokenCount: cachedInputTokens } : {}),
    cost: costMicros === null ? null : costMicros / 1e6,
  }
}

function callParts(calls: readonly ToolCall[], thoughts: readonly Thought[] | undefined): Part[] {
  return calls.map((call, index) => {
    const { id, name } = call
    const signature = index === 0 ? firstSignature(call, thoughts) : call.signature
    return {
      functionCall: { id, name, args: argumentsOf(call) },
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    }
  })
}

const shownParts = (thoughts: readonly Thought[]): Part[] =>
  thoughts.flatMap(({ text }) => (text === '' ? [] : [{ text, thought: true as const }]))

/** What Google searched for and found. */
const groundingOf = (hosted: readonly Hosted[] = []) => {
  const found = hosted.find(({ form }) => form === 'gemini')
  return found ? { groundingMetadata: found.item } : {}
}

export function contentAnswer(generated: GeneratedText, { showThoughts }: Shown): object {
  const { text, thoughts = [], toolCalls = [] } = generated
  const parts = showThoughts ? shownParts(thoughts) : []
  if (text !== '') parts.push({ text })
  parts.push(...callParts(toolCalls, thoughts))
  return {
    candidates: [candidate(parts, { ...endingOf(generated), ...groundingOf(generated.hosted) })],
    usageMetadata: usageOf(generated),
    ...headOf(generated),
  }
}

/** Calls are written at the end: a model may interleave the arguments of several. */
export function createPieceWriter(begin: Begin, { showThoughts }: Shown) {
  const head = headOf(begin)
  const calls = new Map<number, ToolCall>()
  const { read, thoughts } = createThoughtReader()
  const piece = (parts: Part[]) => ({ candidates: [candidate(parts)], ...head })
  return (event: StreamEvent): object[] => {
    switch (event.type) {
      case 'begin': {
        // Without a first piece, a client would not see that its request was accepted.
        const usageMetadata = { promptTokenCount: event.inputTokens }
        return [{ ...piece([{ text: '' }]), usageMetadata }]
      }
      case 'hosted':
        return [{ candidates: [candidate([{ text: '' }], groundingOf([event]))], ...head }]
      case 'thought':
        read(event)
        return showThoughts && event.text !== '' ? [piece(shownParts([event]))] : []
      case 'text':
        return event.text === '' ? [] : [piece([{ text: event.text }])]
      case 'tool_call': {
        const { index, type, choice, ...call } = event
        calls.set(index, { ...call, arguments: '' })
        return []
      }
      case 'tool_arguments': {
        const call = calls.get(event.index)
        if (call) call.arguments += event.text
        return []
      }
      case 'end': {
        const parts = callParts([...calls.values()], thoughts())
        const last = candidate(parts.length > 0 ? parts : [{ text: '' }], endingOf(event))
        return [{ candidates: [last], usageMetadata: usageOf(event), ...head }]
      }
      default:
        return event satisfies never
    }
  }
}

/** What Google answers if a prompt or an answer is refused for its content. */
export const blockedAnswer = ({ message }: Failure, modelId: string): object => ({
  promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: message },
  modelVersion: modelId,
})

/** The same after parts of the answer were sent. */
export const blockedPiece = ({ message }: Failure): object => ({
  candidates: [candidate([], { finishReason: 'SAFETY', finishMessage: message })],
})
