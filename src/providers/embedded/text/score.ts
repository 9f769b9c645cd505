import { sentimentOf, wantsBareAnswer } from './classify.ts'
import { sentencesOf, wordsOf } from './language.ts'

export const asksForScore = (ask: string): boolean =>
  /\b(?:rate|score|grade|rating|mark)\b|\bfrom \d{1,3} to \d{1,3}\b|\bscale (?:of|from)\b|\bout of \d{1,3}\b/i.test(
    ask,
  )

type Scale = { min: number; max: number }

function scaleIn(ask: string): Scale {
  const range = /(?:from |scale of |between |\()?(\d{1,3})\s?(?:to|-|–|and)\s?(\d{1,3})/i.exec(ask)
  if (range && Number(range[1]) < Number(range[2]))
    return { min: Number(range[1]), max: Number(range[2]) }
  const top = /(?:out of|\/)\s?(\d{1,3})/i.exec(ask)
  return top && Number(top[1]) > 1 ? { min: 1, max: Number(top[1]) } : { min: 1, max: 10 }
}

/** By what can be measured: words that are in use, sentence length, variety, mood. */
export function scoreOf(text: string, { min, max }: Scale): number {
  return Math.round(min + qualityOf(text).share * (max - min))
}

function qualityOf(text: string): { share: number; perSentence: number; variety: number } {
  const words = wordsOf(text)
  const perSentence = words.length / Math.max(1, sentencesOf(text).length)
  const variety = new Set(words.map((word) => word.toLowerCase())).size / Math.max(1, words.length)
  const readable = Math.max(0, 1 - Math.abs(perSentence - 15) / 25)
  const substance = Math.min(1, words.length / 60)
  const mood = (sentimentOf(text).score + 1) / 2
  const share = readable * 0.3 + Math.min(1, variety * 1.4) * 0.2 + substance * 0.2 + mood * 0.3
  return { share: Math.min(1, Math.max(0, share)), perSentence, variety }
}

export function describeScore(text: string, ask: string): string {
  const scale = scaleIn(ask)
  const score = scoreOf(text, scale)
  if (wantsBareAnswer(ask) || /\bnumber\b/i.test(ask)) return String(score)
  const { perSentence, variety } = qualityOf(text)
  return `${score}/${scale.max}: ${Math.round(perSentence)} words a sentence, ${Math.round(variety * 100)} % different words, ${sentimentOf(text).label} in tone. This counts words; it does not judge what they mean.`
}
