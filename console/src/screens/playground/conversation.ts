// A conversation, stored in this browser so that a reload loses nothing. It is drawn elsewhere.
export type Turn = {
  id: string
  role: 'user' | 'assistant'
  text: string
  /** Addresses of pictures that the person added. */
  images?: readonly string[]
  /** Facts about a finished answer. Absent while it is still arriving. */
  end?: {
    model: string
    finishReason: string | null
    inputTokens: number | null
    outputTokens: number | null
    cost: number | null
    ms: number
    /** Why it is incomplete. */
    problem?: string
  }
}

export type ChatSettings = { system: string; temperature: number | null; maxTokens: number | null }

/** The request that a model gets for the conversation so far. */
export function chatBody(model: string, turns: readonly Turn[], settings: ChatSettings) {
  return {
    model,
    messages: [
      ...(settings.system.trim() ? [{ role: 'system', content: settings.system }] : []),
      ...turns
        // An answer that failed before its first word would tell the model nothing.
        .filter(({ role, text }) => role === 'user' || text !== '')
        .map(({ role, text, images = [] }) => ({
          role,
          content:
            images.length === 0
              ? text
              : [
                  { type: 'text', text },
                  ...images.map((url) => ({ type: 'image_url', image_url: { url } })),
                ],
        })),
    ],
    ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
    ...(settings.maxTokens === null ? {} : { max_completion_tokens: settings.maxTokens }),
  }
}

const maxKept = 200_000
const keyOf = (accountId: string, slot: string) => `atelier.chat.${accountId}.${slot}`

/** Unfinished answers are not stored; a conversation that is too long loses its oldest turns. */
export function keepTurns(accountId: string, slot: string, turns: readonly Turn[]): void {
  let kept = turns.filter(({ role, end }) => role === 'user' || end)
  while (kept.length > 0 && JSON.stringify(kept).length > maxKept) kept = kept.slice(2)
  try {
    localStorage.setItem(keyOf(accountId, slot), JSON.stringify(kept))
  } catch {
    // If storage is full or forbidden, the conversation is lost on reload, but nothing else is.
  }
}

export function keptTurns(accountId: string, slot: string): Turn[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(accountId, slot)) ?? '[]')
    return Array.isArray(kept) ? (kept as Turn[]) : []
  } catch {
    return []
  }
}

/** Separates text from code, which is fenced by three backticks. */
export function partsOf(text: string): { kind: 'text' | 'code'; text: string }[] {
  return text
    .split(/^```[^\n]*\n?/m)
    .map((part, index) => ({
      kind: index % 2 === 1 ? ('code' as const) : ('text' as const),
      text: part,
    }))
    .filter((part) => part.text.trim() !== '')
}
