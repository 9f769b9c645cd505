// JSON mode refuses a conversation that does not mention JSON.
import type { Message } from '#providers/provider.ts'

export const jsonHint = 'Answer with one valid JSON value and nothing else.'

export const namesJson = (messages: readonly Message[]): boolean =>
  messages.some(({ content }) =>
    typeof content === 'string'
      ? /json/i.test(content)
      : content.some((part) => part.type === 'text' && /json/i.test(part.text)),
  )
