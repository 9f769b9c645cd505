// The rules of the text model, tried in order. If none applies, the answer says that it is a demo.
import { calculate } from './arithmetic.ts'
import { fill } from './json-fill.ts'
import { schemaIn, shapeIn } from './json-schema.ts'
import { isStopWord, wordsOf } from './language.ts'
import { answerFrom, asksForSummary, mainSentences, summarize } from './rank.ts'
import type { Task } from './request.ts'
import { cutAt } from './tokens.ts'

const help =
  'Hello! I am the embedded demo model of Atelier: a set of rules, not a language model. I can calculate ("What is 12% of 250?"), summarise a text ("Summarise in 3 bullet points: …"), answer a question from a text you give me, fill JSON with the keys you name or by a JSON Schema, and call the functions you offer me. The same input always gives the same answer. Configure a provider key to use a real model.'
const asksForHelp =
  /^\s{0,9}(?:help|hi|hello|hey)?(?: there)?\W{0,9}$|\bwhat can you do\b|\b(?:who|what) are you\b/i
const asksForEcho =
  /^\s{0,9}(?:please )?(?:say|echo|repeat|(?:reply|respond|answer) with exactly)\b\s{0,3}:?\s{0,3}(.{1,2000})$/is

export function answer(task: Task): string {
  if (!task.wantsJson) return plainAnswer(task)
  // Always JSON: in the shape that the system prompt or the request shows, else the plain answer.
  const { ask, material, rules, earlier } = task
  const before = `${rules}\n\n${earlier}`
  const shape = schemaIn(rules) ?? shapeIn(ask) ?? (/\bjson\b/i.test(before) && shapeIn(before))
  const plain = plainAnswer({ ...task, ask: ask.replace(/\b(?:as|in|return)?\s?json\b/gi, ' ') })
  const source = { text: material || ask || before, answer: plain }
  return JSON.stringify(shape ? fill(shape, 'result', source) : { answer: plain }, null, 2)
}

function plainAnswer(task: Task): string {
  const { ask, material, earlier, pictures, writesCode } = task
  const whole = `${ask} ${material}`.trim()
  const echo = asksForEcho.exec(whole)?.[1]
  if (echo) return echo
  const sum = calculate(whole)
  if (sum !== null) return sum
  if (pictures > 0)
    return `I am the embedded demo model and cannot see pictures: ${pictures} came along.`
  if (asksForHelp.test(whole)) return help
  if (writesCode) return codeSkeleton(whole)
  const summary = asksForSummary(ask) ? summarize(material || earlier || ask, ask) : ''
  return summary || (answerQuestion(task) ?? standIn(task))
}

/** Stands where the answer of a real model would, and gives at least the gist of a text. */
function standIn({ ask, material }: Task): string {
  const short = cutAt(mainSentences(material, 3).join(' '), 2000)
  if (ask && short) return `Demo answer. Your text in short:\n\n${short}`
  return `Demo answer to “${cutAt(ask || material, 300)}”. A real model writes its own text here; the embedded demo model works by rules. Ask it for “help” to see them.`
}

/** The question may be on any line; the other lines are the text it is about. */
function answerQuestion({ ask, material, rules, earlier }: Task): string | null {
  const lines = `${ask}\n${material}`.split('\n')
  const at = lines.findLastIndex((line) => /\?\s{0,9}$/.test(line.slice(-200)))
  if (at < 0) return null
  const question = lines[at]?.slice(0, 1000).replace(/^question\s{0,3}:/i, '') ?? ''
  const rest = lines.filter((line, index) => index !== at && !/^answer\s{0,3}:/i.test(line))
  const given = rest.join('\n').trim()
  // Earlier turns may well not hold the answer, so "does not say" is reserved for a given text.
  if (given === '') return answerFrom(`${rules}\n${earlier}`, question)
  return answerFrom(given, question) ?? 'The text I was given does not say.'
}

const skeletons: Record<string, string> = {
  python: 'def NAME(value):\n    raise NotImplementedError',
  sql: 'select *\nfrom NAME\nlimit 10;',
  javascript: "export function NAME(value) {\n  throw new Error('not written yet')\n}",
  typescript: "export function NAME(value: unknown) {\n  throw new Error('not written yet')\n}",
}

/** Only a signature with a fitting name, because the rules cannot write programs. */
function codeSkeleton(ask: string): string {
  const words = wordsOf(ask.slice(0, 600).toLowerCase()).filter((word) => /^[a-z]+$/.test(word))
  const language = words.find((word) => Object.hasOwn(skeletons, word)) ?? 'typescript'
  const common = [language, 'write', 'code', 'function', 'program']
  const telling = words.filter((word) => !isStopWord(word) && !common.includes(word))
  const code = skeletons[language]?.replace('NAME', telling.slice(0, 3).join('_') || 'solve')
  return `\`\`\`${language}\n${code}\n\`\`\`\n\nI am the embedded demo model: this is a skeleton made by rule. Configure a provider key for working code.`
}
