// The rules of the text model, tried from the top: each gives its answer, or null where it does
// not apply. What none of them can do is said plainly, never pretended.
import { calculate } from './arithmetic.ts'
import { codeSkeleton } from './code.ts'
import { fill } from './json-fill.ts'
import { schemaIn } from './json-schema.ts'
import { answerFrom, asksForSummary, mainSentences, summarize } from './rank.ts'
import type { PictureNote, Task } from './request.ts'

const introduction =
  "I am Atelier's embedded demo model: a set of rules, not a language model. I cost nothing, need no key, and give the same answer to the same input."

const help = `${introduction}

I can:
- calculate ("What is 12% of 250?")
- summarise a text ("Summarise in 3 bullet points: …")
- answer a question from a text you give me
- return JSON with the keys you name, or by a JSON Schema
- call the functions you offer me

Configure a provider key to use a real model.`

const rules: readonly ((task: Task) => string | null)[] = [
  echo,
  ({ ask, material }) => calculate(`${ask} ${material}`.trim()),
  ({ pictures }) => (pictures.length > 0 ? describePictures(pictures) : null),
  ({ ask, material }) => {
    if (material !== '' || !asksForHelp.test(ask)) return null
    return greets.test(ask) ? `Hello! ${help}` : help
  },
  ({ ask, material, writesCode }) =>
    writesCode ? codeSkeleton(`${ask} ${material}`.trim()) : null,
  (task) => (asksForSummary(task.ask) ? summarize(subjectOf(task), task.ask) || null : null),
  answerQuestion,
  gist,
]

export function answer(task: Task): string {
  return task.wantsJson ? answerJson(task) : plainAnswer(task)
}

function plainAnswer(task: Task): string {
  for (const rule of rules) {
    const text = rule(task)
    if (text !== null) return text
  }
  return `${introduction} None of my rules fits this request; ask me "help" to see what I can do.`
}

/** Always JSON: of the shape the request or the system shows, else the plain answer as a value. */
function answerJson(task: Task): string {
  const { ask, material, background } = task
  const schema = schemaIn(ask) ?? (/\bjson\b/i.test(background) ? schemaIn(background) : null)
  const text = material || ask || background
  const plain = plainAnswer({ ...task, ask: ask.replace(/\b(?:as|in|return)?\s?json\b/gi, ' ') })
  return JSON.stringify(
    schema ? fill(schema, 'result', { text, answer: plain }) : { answer: plain },
    null,
    2,
  )
}

const asksForHelp =
  /^\s{0,9}(?:help|hi|hello|hey)?\W{0,9}$|\bwhat can you do\b|\b(?:who|what) are you\b/i
const greets = /^\W*(?:hello|hi|hey)\b/i

/** What came with the request, else what stands after its verb, else what was said before. */
function subjectOf({ ask, material, background }: Task): string {
  const rest = ask.replace(
    /^\s{0,9}(?:please )?\S{1,20}(?: (?:the|this|following|text)\b){0,3}:?/i,
    '',
  )
  return material || rest.trim() || background
}

function echo({ ask, material }: Task): string | null {
  const found =
    /^\s{0,9}(?:please )?(?:say|echo|repeat|(?:reply|respond|answer) with exactly)\s{0,3}:?\s{0,3}(.{0,2000})$/is.exec(
      ask,
    )
  return found ? [found[1], material].filter(Boolean).join(' ') || null : null
}

/** The question may stand anywhere; the other lines are the text it is asked of. */
function answerQuestion({ ask, material, background }: Task): string | null {
  const lines = `${ask}\n${material}`.split('\n')
  const at = lines.findLastIndex((line) => /\?\s{0,9}$/.test(line.slice(-200)))
  if (at < 0) return null
  const rest = lines.filter((line, index) => index !== at && !/^answer\s{0,3}:/i.test(line))
  const given = rest.join('\n').trim()
  const found = answerFrom(
    given || background,
    lines[at]?.slice(0, 1000).replace(/^question\s{0,3}:/i, '') ?? '',
  )
  // Of words from earlier turns nobody claims that they hold the answer.
  return found ?? (given === '' ? null : 'The text I was given does not say.')
}

function gist({ ask, material }: Task): string | null {
  if (material === '' || ask === '') return null
  const main = mainSentences(material, 3).join(' ').slice(0, 2000)
  return `I am the embedded demo model and have no rule for this. Your text in short:\n\n${main}`
}

function describePictures(pictures: readonly PictureNote[]): string {
  const notes = pictures.map(({ header, sizeBytes }, index) => {
    const size = `${Math.max(1, Math.round(sizeBytes / 1024))} KB`
    if (!header) return `Picture ${index + 1}: a file I cannot read, ${size}.`
    const { type, width, height } = header
    const form = width === height ? 'square' : width > height ? 'landscape' : 'portrait'
    return `Picture ${index + 1}: ${type.toUpperCase()}, ${width} × ${height} pixels, ${form}, ${size}.`
  })
  return `${notes.join('\n')}\nI am the embedded demo model: I read a picture's size and type, not what it shows.`
}
