import { isRecord } from '#core/record.ts'
import type { ToolCall } from '#core/text-stream.ts'

/** Clients expect an object, whatever a model wrote. */
export function argumentsOf({ arguments: written }: Pick<ToolCall, 'arguments'>): object {
  try {
    const value: unknown = JSON.parse(written || '{}')
    if (isRecord(value)) return value
  } catch {
    // Not JSON, so it is passed on as text below.
  }
  return { arguments: written }
}
