// How any JSON value becomes message content: strings and known parts keep their
// meaning, everything else becomes its JSON text. Nothing is dropped.

export type RawPart = { type: 'text'; text: string } | { type: 'image_url'; url: string }

export function readContent(content: unknown): string | RawPart[] {
  if (typeof content === 'string') return content
  if (Array.isArray(content) && content.length > 0) {
    const parts = content.map(readPart)
    if (parts.every((part) => part !== null)) return parts
  }
  return JSON.stringify(content)
}

function readPart(value: unknown): RawPart | null {
  if (typeof value !== 'object' || value === null) return null
  const part = value as Record<string, unknown>
  if (part.type === 'text' && typeof part.text === 'string')
    return { type: 'text', text: part.text }
  const image = part.image_url as { url?: unknown } | null | undefined
  if (part.type === 'image_url' && typeof image?.url === 'string') {
    return { type: 'image_url', url: image.url }
  }
  return null
}

/** Neither a word nor a picture: a provider would bill it all the same. */
function isBlank(content: unknown): boolean {
  if (content === undefined) return true
  const read = readContent(content)
  return textOf(read).trim() === '' && imageUrlsOf(read).length === 0
}

/** Of the turns of a conversation; instructions alone are asked for too, if there is nothing else. */
export function isWithoutPrompt(messages: readonly { role: string; content?: unknown }[]): boolean {
  const turns = messages.filter(({ role }) => role !== 'system')
  return (turns.length > 0 ? turns : messages).every(({ content }) => isBlank(content))
}

export const textOf = (content: string | RawPart[]): string =>
  typeof content === 'string'
    ? content
    : content
        .filter((part) => part.type === 'text')
        .map((part) => part.text)
        .join('\n')

export const imageUrlsOf = (content: string | RawPart[]): string[] =>
  typeof content === 'string'
    ? []
    : content.filter((part) => part.type === 'image_url').map((part) => part.url)
