import type { TextDelta, TextResult } from '../../provider.ts'

/** About the size in which large models hand on their answers. */
const pieceLength = 24

/** A finished answer as it would have come piece by piece. */
export function piecesOf({ text, toolCalls = [], usage, ...answer }: TextResult): TextDelta[] {
  const { finish, answeredBy } = answer
  const pieces: TextDelta[] = cut(text).map((part) => ({ type: 'text', text: part }))
  for (const [index, { arguments: written, ...call }] of toolCalls.entries()) {
    pieces.push({ type: 'tool_call', index, ...call })
    for (const part of cut(written)) pieces.push({ type: 'tool_arguments', index, text: part })
  }
  if (usage) pieces.push({ type: 'usage', usage })
  return [...pieces, { type: 'end', finish, ...(answeredBy ? { answeredBy } : {}) }]
}

/** Between words where there is one near, and never through a character. */
function cut(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    const space = text.lastIndexOf(' ', from + pieceLength)
    let to = space > from ? space : from + pieceLength
    const last = text.charCodeAt(to - 1)
    if (last >= 0xd800 && last < 0xdc00) to += 1
    pieces.push(text.slice(from, to))
    from = to
  }
  return pieces
}
