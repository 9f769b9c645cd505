// What was said, kept in this browser so that a reload loses nothing. Pure; drawing is elsewhere.
export type Turn = {
  id: string
  role: 'user' | 'assistant'
  text: string
  /** Addresses of pictures the person added. */
  images?: readonly string[]
  /** Of an answer: what it took. Absent while it is coming. */
  end?: {
    model: string
    finishReason: string | null
    inputTokens: number | null
    outputTokens: number | null
    cost: number | null
    ms: number
    /** Why it is not whole. */
    problem?: string
  }
}

export type ChatSettings = { system: string; temperature: number | null; maxTokens: number | null }

/** The request that a model gets for what was said so far. */
export function chatBody(model: string, turns: readonly Turn[], settings: ChatSettings) {
  return {
    model,
    messages: [
      ...(settings.system.trim() ? [{ role: 'system', content: settings.system }] : []),
      ...turns
        // An answer that failed before its first word says nothing to the model.
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

/** Whole conversations only: one that is too long is kept from its end. */
export function keepTurns(accountId: string, slot: string, turns: readonly Turn[]): void {
  let kept = turns.filter(({ role, end }) => role === 'user' || end)
  while (kept.length > 0 && JSON.stringify(kept).length > maxKept) kept = kept.slice(2)
  try {
    localStorage.setItem(keyOf(accountId, slot), JSON.stringify(kept))
  } catch {
    // A full or forbidden store costs the conversation its life beyond this page, nothing else.
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

/** Text and code apart, as people write them: fences of three backticks. */
export function partsOf(text: string): { kind: 'text' | 'code'; text: string }[] {
  return text
    .split(/^```[^\n]*\n?/m)
    .map((part, index) => ({
      kind: index % 2 === 1 ? ('code' as const) : ('text' as const),
      text: part,
    }))
    .filter((part) => part.text.trim() !== '')
}
