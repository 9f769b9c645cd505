import { parentPort } from 'node:worker_threads'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

// The tokenizer takes quadratic time for text without word breaks. Real words are shorter.
const maxWordChars = 200
// Text that looks like a control token is counted as ordinary text.
const noSpecial = { disallowedSpecial: new Set<string>() }

parentPort?.on('message', ({ id, text }: { id: number; text: string }) => {
  let tokens = 0
  for (const piece of pieces(text)) tokens += countTokens(piece, noSpecial)
  parentPort?.postMessage({ id, tokens })
})

/** Splits only where no word would be that long, so ordinary text is counted in one piece. */
function* pieces(text: string) {
  let start = 0
  let run = 0
  let wasSpace = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const isSpace = code === 32 || (code >= 9 && code <= 13) || code === 160 || code === 0x3000
    run = isSpace === wasSpace ? run + 1 : 1
    wasSpace = isSpace
    if (run < maxWordChars) continue
    yield text.slice(start, i + 1)
    start = i + 1
    run = 0
  }
  if (start < text.length) yield text.slice(start)
}
