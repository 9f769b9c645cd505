import { isRecord } from '#core/record.ts'
import { type Json, recordsOf, textOf } from '#providers/json-shape.ts'
import type { TextDelta, TextResult } from '#providers/provider.ts'
import { protocolError } from '#providers/refusal.ts'
import { brokenStream, type StreamReader } from '#providers/streamed-text.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import { kindOfCode, responseUsage } from './response.ts'
import { blockedEnd, callIn, endOf, usageWith } from './responses-answer.ts'
import { searchesIn, thoughtIn } from './responses-wire.ts'

const record = (value: unknown): Json => (isRecord(value) ? value : {})

/** The API numbers all items, including thoughts and messages; we number the calls separately. */
export function responseStream(upstream: Upstream, answer: Answer): StreamReader {
  const calls = new Map<unknown, number>()
  let refused = ''
  let end: Pick<TextResult, 'finish' | 'refusal'> | undefined

  function beginItem({ item, output_index }: Json): TextDelta[] {
    if (record(item).type !== 'function_call') return working
    const call = callIn(record(item))
    if (!call) throw protocolError(upstream, answer, 'a function call that cannot be read')
    const index = calls.size
    calls.set(output_index, index)
    const { arguments: written, ...named } = call
    const begun: TextDelta = { type: 'tool_call', index, ...named }
    return written === '' ? [begun] : [begun, { type: 'tool_arguments', index, text: written }]
  }

  function finish(response: Json): TextDelta[] {
    end = blockedEnd(response) ?? endOf({ ...response, status: String(response.status) }, refused)
    const usage = usageWith(responseUsage(response.usage), searchesIn(recordsOf(response.output)))
    return usage ? [{ type: 'usage', usage }] : []
  }

  return {
    read(event) {
      const text = textOf(event.delta)
      switch (event.type) {
        case 'response.output_text.delta':
          return text === undefined ? [] : [{ type: 'text', text, ...tokensOf(event) }]
        case 'response.refusal.delta':
          refused += text ?? ''
          return []
        case 'response.output_item.added':
          return beginItem(event)
        case 'response.reasoning_summary_text.delta':
          return text === undefined ? working : [{ type: 'thought', text }]
        case 'response.reasoning_summary_part.added':
          return event.summary_index === 0 ? working : [{ type: 'thought', text: '\n\n' }]
        case 'response.output_item.done': {
          // The words of the thought were passed on as they arrived.
          const item = record(event.item)
          if (item.type === 'web_search_call') return [{ type: 'hosted', form: 'openai', item }]
          const thought = thoughtIn({ ...item, summary: [] })
          return thought ? [{ type: 'thought', ...thought }] : working
        }
        case 'response.output_text.annotation.added':
          return [{ type: 'hosted', form: 'openai', item: record(event.annotation) }]
        case 'response.function_call_arguments.delta': {
          const index = calls.get(event.output_index)
          return index === undefined || text === undefined
            ? []
            : [{ type: 'tool_arguments', index, text }]
        }
        case 'response.completed':
        case 'response.incomplete':
          return finish(record(event.response))
        case 'response.failed': {
          const response = record(event.response)
          if (blockedEnd(response)) return finish(response)
          throw broken(upstream, { ...record(response.error), usage: response.usage })
        }
        case 'error':
          throw broken(upstream, { ...event, ...record(event.error) })
        default:
          return working
      }
    },
    end: () => end,
  }
}

/** A sign of life. */
const working: TextDelta[] = [{ type: 'working' }]

function tokensOf({ logprobs }: Json): { logprobs?: Json[] } {
  const tokens = recordsOf(logprobs)
  return tokens.length > 0 ? { logprobs: tokens } : {}
}

function broken(upstream: Upstream, { code, message, usage }: Json) {
  const words = textOf(message) ?? 'the stream broke off'
  const kind = kindOfCode(code) ?? 'server'
  return brokenStream(upstream, { kind, message: words, isFree: !isRecord(usage) })
}
