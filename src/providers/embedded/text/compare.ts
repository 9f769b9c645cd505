import { numbersIn } from './extract.ts'
import { sentencesOf, termsOf, wordsOf } from './language.ts'

export const asksToCompare = (ask: string): boolean =>
  /\bcompare\b|\bdifferences? between\b|\bwhat (?:has )?changed\b/i.test(ask)

type Part = { name: string; text: string }

/** Texts under headings ("Original:"), else the paragraphs. */
function partsOf(material: string): Part[] {
  const parts: Part[] = []
  for (const line of material.split('\n')) {
    const heading = /^(\p{Lu}[\p{L}\p{N} ]{0,30}):\s{0,3}$/u.exec(line)?.[1]
    const last = parts.at(-1)
    if (heading) parts.push({ name: heading, text: '' })
    else if (last) last.text += `${line}\n`
  }
  if (parts.length >= 2) return parts
  const paragraphs = material.split('\n\n').filter((part) => part.trim() !== '')
  return paragraphs.map((text, i) => ({ name: `Text ${i + 1}`, text }))
}

/** What can be counted in the first two texts side by side; null where there are not two. */
export function compareParts(material: string): string | null {
  const [one, two] = partsOf(material)
  if (!one || !two) return null
  const lines = [one, two].map(
    ({ name, text }) =>
      `- ${name}: ${sentencesOf(text).length} sentence(s), ${wordsOf(text).length} words.`,
  )
  const missing = (from: Part, to: Part) => {
    const there = new Set(numbersIn(to.text))
    const lost = numbersIn(from.text).filter((number) => !there.has(number))
    return lost.length > 0 ? [`- Only in ${from.name}: ${lost.slice(0, 20).join(', ')}.`] : []
  }
  const terms = new Set(termsOf(one.text))
  const shared = new Set(termsOf(two.text).filter((term) => terms.has(term)))
  const common =
    shared.size > 0
      ? `- In common: ${[...shared].slice(0, 10).join(', ')}.`
      : '- They share no telling word.'
  return [
    ...lines,
    common,
    ...missing(one, two),
    ...missing(two, one),
    'I count and match words and numbers; whether one says what the other says I cannot tell.',
  ].join('\n')
}
