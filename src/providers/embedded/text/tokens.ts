// A token is counted as four UTF-16 units, begun ones whole. Cheap, the same everywhere, and
// close to what tokenizers give for English; nobody pays by it.
const unitsPerToken = 4

/** Of a longer request only both ends are read. */
export const maxInputTokens = 16_000
export const maxOutputTokens = 8_000
export const maxReadLength = maxInputTokens * unitsPerToken

export const countTokens = (text: string): number => Math.ceil(text.length / unitsPerToken)

/** The longest beginning of at most `maxTokens`, never half a character. */
export function cutToTokens(text: string, maxTokens: number): { text: string; cut: boolean } {
  const room = maxTokens * unitsPerToken
  if (text.length <= room) return { text, cut: false }
  const last = text.charCodeAt(room - 1)
  const halved = last >= 0xd800 && last < 0xdc00
  return { text: text.slice(0, halved ? room - 1 : room), cut: true }
}
