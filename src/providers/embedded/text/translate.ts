import { capitalize, sentencesOf, wordsOf } from './language.ts'

const languages =
  'english|french|german|spanish|italian|portuguese|dutch|swedish|danish|norwegian|finnish|polish|czech|hungarian|romanian|greek|turkish|russian|ukrainian|arabic|hebrew|hindi|chinese|mandarin|japanese|korean|vietnamese|thai|indonesian|latin'
const target = new RegExp(String.raw`\b(?:in|into|to) (?:\w{1,20} )?(${languages})\b`, 'i')

export const asksToTranslate = (ask: string): boolean =>
  /\btranslat/i.test(ask) ||
  (target.test(ask) && /\b(?:say|write|rewrite|put|convert)\b/i.test(ask))

/** No rule can translate. What can be done is to part the text and mark what needs a translator. */
export function markForTranslation(text: string, ask: string): string {
  const language = capitalize((target.exec(ask)?.[1] ?? 'the other language').toLowerCase())
  const parts = sentencesOf(text).map(
    (sentence, i) => `${i + 1}. [${language}: to be translated] ${sentence}`,
  )
  return `I am the embedded demo model and cannot translate. The text is below, unchanged, one sentence a line, marked for a translator or another model (${wordsOf(text).length} words):\n\n${parts.join('\n')}`
}

const telltale: [string, Set<string>][] = [
  ['English', new Set('the and of to is in that it was for'.split(' '))],
  ['German', new Set('der die und das ist nicht ein ich mit von'.split(' '))],
  ['French', new Set('le la les et est des une que dans pour'.split(' '))],
  ['Spanish', new Set('el los que y es una por con para las'.split(' '))],
  ['Italian', new Set('il che di è un per una sono non gli'.split(' '))],
  ['Portuguese', new Set('o que de é um uma não com para os'.split(' '))],
  ['Dutch', new Set('de het een en van is dat niet ik op'.split(' '))],
]
const scripts: [string, RegExp][] = [
  ['Japanese', /[\p{sc=Hiragana}\p{sc=Katakana}]/u],
  ['Korean', /\p{sc=Hangul}/u],
  ['Chinese', /\p{sc=Han}/u],
  ['Arabic', /\p{sc=Arabic}/u],
  ['Hebrew', /\p{sc=Hebrew}/u],
  ['Greek', /\p{sc=Greek}/u],
  ['Russian', /\p{sc=Cyrillic}/u],
  ['Hindi', /\p{sc=Devanagari}/u],
]

export const asksForLanguage = (ask: string): boolean =>
  /\b(?:what|which|detect|identify|name)\b.{0,30}\blanguage\b/i.test(ask)

/** By script, else by the small words that give a language away. */
export function languageOf(text: string): string {
  const sample = text.slice(0, 5000)
  const script = scripts.find(([, letters]) => letters.test(sample))
  if (script) return script[0]
  const words = wordsOf(sample).map((word) => word.toLowerCase())
  const scored = telltale.map(([name, set]) => ({
    name,
    hits: words.filter((word) => set.has(word)).length,
  }))
  const best = scored.toSorted((a, b) => b.hits - a.hits)[0]
  return best && best.hits > 0 ? best.name : 'unknown'
}
