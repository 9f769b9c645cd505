// Chooses the rule that fits a request. The rules are a table, read from the top: what is more
// particular stands higher, and each says itself whether it has what it needs.
import { reckon } from './arithmetic.ts'
import {
  answerYesOrNo,
  asksForSentiment,
  asksToClassify,
  asksYesOrNo,
  classifyAs,
  describeSentiment,
  labelsIn,
} from './classify.ts'
import { asksAboutCode, asksForCode, explainCode, writeCode } from './code.ts'
import { asksToCompare, compareParts } from './compare.ts'
import { asksForPiece, composePiece } from './compose.ts'
import { asksToExtract, extract } from './extract.ts'
import {
  asksForHelp,
  describePictures,
  factAbout,
  fallback,
  greeting,
  help,
  isGreeting,
} from './help.ts'
import { asksForIdeas, listIdeas } from './ideas.ts'
import { answerJson } from './json.ts'
import { sentencesOf, wordsOf } from './language.ts'
import { answerFrom, isQuestion, notFound } from './question.ts'
import { keywordsOf } from './rank.ts'
import { asksToCount, asksToEdit, countParts, rewrite } from './rewrite.ts'
import { asksForScore, describeScore } from './score.ts'
import { asksForSummary, summarize } from './summarize.ts'
import { isCommand, type Task } from './task.ts'
import { asksForLanguage, asksToTranslate, languageOf, markForTranslation } from './translate.ts'

/** Null where the rule does not apply. */
type Rule = (task: Task) => string | null

/** A rule for requests about a text. */
const about =
  (asks: (ask: string) => boolean, work: (text: string, ask: string) => string | null): Rule =>
  (task) => {
    if (!asks(task.ask)) return null
    const text = subjectOf(task)
    return text === '' ? null : work(text, task.ask)
  }

const plainRules: readonly Rule[] = [
  ({ ask, material }) => echo(ask, material),
  ({ ask, material }) => reckon(material === '' ? ask : `${ask} ${material}`),
  ({ ask }) => (isGreeting(ask) ? greeting() : null),
  ({ ask }) => (asksForHelp(ask) ? help() : null),
  ({ ask, material }) => (asksAboutCode(ask) ? explainCode(material) : null),
  ({ ask, material, writesCode }) =>
    (material === '' ? writesCode && !isSmallTalk(ask) : false) || asksForCode(ask)
      ? writeCode(`${ask}\n${material}`.trim())
      : null,
  about(asksToCompare, compareParts),
  about(asksToTranslate, markForTranslation),
  about(asksForLanguage, languageOf),
  about(asksToCount, countParts),
  about(asksYesOrNo, answerYesOrNo),
  about(asksForSentiment, describeSentiment),
  about(asksForScore, describeScore),
  about(asksToClassify, classifyAs),
  about(asksForSummary, summarize),
  ({ ask, material }) => (asksForIdeas(ask) && !fromText(ask) ? listIdeas(ask, material) : null),
  ({ ask, material }) => (asksForPiece(ask) && isOrder(ask) ? composePiece(ask, material) : null),
  ({ ask, material }) => (material !== '' && asksToExtract(ask) ? extract(material, ask) : null),
  about(asksToEdit, rewrite),
  answerQuestion,
  ({ ask, material }) =>
    material !== '' && labelsIn(ask).length > 1 && ask !== '' ? classifyAs(material, ask) : null,
  ({ ask }) => factAbout(ask),
  ({ material, writesCode }) => (writesCode ? explainCode(material) : null),
  ({ pictures }) => (pictures.length > 0 ? describePictures(pictures) : null),
  ({ ask, material }) =>
    material !== '' && ask !== '' && wordsOf(material).length > 60
      ? summarize(material, ask)
      : null,
]

export function answer(task: Task): string {
  return task.wantsJson ? answerJson(task, plainAnswer) : plainAnswer(task)
}

function plainAnswer(task: Task): string {
  for (const rule of plainRules) {
    const text = rule(task)
    if (text !== null && text !== '') return text
  }
  const topics = keywordsOf(task.ask === '' ? task.material : task.ask, 6)
  return fallback(topics.filter((topic) => !isCommand(topic)).slice(0, 3))
}

/** The text a request is about: what came with it, else what stands after its verb or was said before. */
function subjectOf({ ask, material, background }: Task): string {
  if (material !== '') return material
  if (
    background !== '' &&
    /\b(?:this|that|it|above|previous|earlier|last|conversation|text)\b/i.test(ask)
  )
    return background
  const rest = ask
    .replace(
      /^\s{0,9}(?:please |can you |could you )?\S{1,20}(?: (?:the|this|these|following|to|into|in|as|text|sentence|words?|upper ?case|lower ?case|title case|french|german|spanish|italian)\b){0,4}:?\s{0,3}/i,
      '',
    )
    .trim()
  return rest === '' ? background : rest
}

const isOrder = (ask: string) =>
  /\b(?:write|create|generate|draft|compose|make|give|suggest|propose|turn|prepare|produce|need|want|describe|rewrite)\b/i.test(
    ask,
  ) || wordsOf(ask).length <= 4
const fromText = (ask: string) =>
  /\b(?:extract|find all|in the text|from the (?:text|article|following))\b/i.test(ask)
const isSmallTalk = (ask: string) =>
  ask === '' || isGreeting(ask) || asksForHelp(ask) || (isQuestion(ask) && !asksForCode(ask))

function echo(ask: string, material: string): string | null {
  const found =
    /^\s{0,9}(?:please )?(?:say|echo|repeat(?: after me| this| the following)?|(?:reply|respond|answer)(?: only)? with(?: exactly| only| just)?(?: the (?:word|text|words|phrase))?|(?:output|return|print)(?: exactly| only)(?: the (?:word|text|words|phrase))?)\b\s{0,3}:?\s{0,3}(.{0,2000})$/is.exec(
      ask,
    )
  if (!found) return null
  const words = (found[1] ?? '').trim().replace(/^["'“](.{1,2000})["'”][.!]?$/s, '$1')
  if (
    /^(?:json|one of|yes or no|a (?:single )?(?:word|number|list|json)|the (?:label|category|number|result|answer))\b/i.test(
      words,
    )
  )
    return null
  return [words, material].filter((part) => part !== '').join(' ') || null
}

function answerQuestion({ ask, material, background }: Task): string | null {
  if (!isQuestion(ask)) return null
  const given = material === '' ? background : material
  if (given === '') return null
  const question = sentencesOf(ask).findLast((sentence) => sentence.endsWith('?')) ?? ask
  const found = answerFrom(given, question)
  // Of words from earlier turns nobody claims that they hold the answer.
  return found ?? (material === '' ? null : notFound)
}
