// What the messages of all compatible APIs have in common.
import { isWithoutPrompt, type RawPart, RawParts } from '#core/chat-content.ts'
import type { CallMessage } from '#core/generation.ts'
import { FieldProblem, within } from './field-table.ts'

/** Reads each message of a list that must not be empty. */
export function readEach<Value>(list: unknown, read: (message: unknown) => Value): Value[] {
  if (Array.isArray(list) && list.length > 0) {
    return list.map((message: unknown, index) => within(index, () => read(message)))
  }
  throw new FieldProblem('must be a list of at least one message')
}

/** A provider would bill a call without words all the same. */
export function refuseBlank(messages: CallMessage[]): void {
  const hasResults = messages.some(({ role }) => role === 'tool')
  if (hasResults || !isWithoutPrompt(messages)) return
  throw new FieldProblem('must contain at least one non-empty message')
}

/** Plain text where nothing but text is there, because most providers want that. */
export function contentOf(parts: readonly RawPart[]): string | RawParts {
  const isPlain = parts.every((part) => part.type === 'text' && !part.cache && !part.hosted)
  return isPlain
    ? parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    : new RawParts(parts)
}
