import { kinds } from './extract.ts'
import { asksForIdeas, ideasFor } from './ideas.ts'
import { fill } from './json-fill.ts'
import { shapeIn } from './json-shape.ts'
import { countBefore } from './language.ts'
import type { Task } from './task.ts'

/** Always JSON: of the shape the request shows or names, else the plain answer as a value. */
export function answerJson(task: Task, plainAnswer: (task: Task) => string): string {
  const { shape, material } = find(task)
  const ask = task.ask
  const text = material === '' ? (ask === '' ? task.background : ask) : material
  // What is wanted in the end is known by the shape; the rest of the request says what it is about.
  const answer = plainAnswer({
    ...task,
    material,
    ask: ask.replace(/\b(?:as|in|valid|a|return|output)?\s?json\b/gi, ' '),
    wantsJson: false,
  })
  if (shape) return print(fill(shape, 'result', { text, ask, answer }))
  const wanted = kinds.filter(({ words }) => words.test(ask) && material !== '')
  if (wanted.length > 0 && /\b(?:extract|find|list|all)\b/i.test(ask)) {
    if (wanted.length === 1 && /\b(?:array|list)\b/i.test(ask))
      return print(wanted[0]?.find(material) ?? [])
    return print(Object.fromEntries(wanted.map(({ name, find }) => [camel(name), find(material)])))
  }
  if (asksForIdeas(ask) || /\barray\b/i.test(ask)) {
    const count = countBefore(ask, /./) ?? 5
    return print(ideasFor(ask, material, Math.min(count, 50)))
  }
  return print({ answer })
}

const print = (value: unknown) => JSON.stringify(value, null, 2)

const camel = (name: string) =>
  name
    .replaceAll('E-mail', 'email')
    .toLowerCase()
    .replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())

/** The shape stands in the request, in the system's words, or alone in a fence. */
function find({ ask, material, background }: Task) {
  const shown = shapeIn(ask)
  if (shown) return { shape: shown, material }
  const fenced =
    /^\s{0,9}[[{]/.test(material) &&
    /\b(?:schema|shape|format|structure|like|template)\b/i.test(ask)
      ? shapeIn(material)
      : null
  if (fenced) return { shape: fenced, material: '' }
  return {
    shape: /\bjson\b/i.test(background.slice(0, 20_000))
      ? shapeIn(background.slice(0, 20_000))
      : null,
    material,
  }
}
