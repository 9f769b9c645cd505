import type { PictureNote } from './task.ts'

const abilities = [
  'summarise a text ("Summarise in 3 bullet points: …")',
  'answer a question from a text you give me',
  'extract e-mail addresses, dates, numbers, names, action items, keywords',
  'classify, rate from 1 to 10, tell the sentiment',
  'calculate ("What is 12% of 250?")',
  'return JSON with the keys you name, or by a JSON Schema',
  'edit: upper case, shorten, bullet points, sort, proofread',
  'draft titles, posts, e-mails, outlines, lists of ideas or image prompts',
  'write small functions in TypeScript, JavaScript, Python, and SQL',
]

const introduction =
  "I am Atelier's embedded demo model: a set of rules, not a language model. I cost nothing, need no key and always give the same answer to the same input."

export const help = (): string =>
  `${introduction}\n\nI can:\n${abilities.map((ability) => `- ${ability}`).join('\n')}\n\nConfigure a provider key to use a real model.`

export const isGreeting = (ask: string): boolean =>
  /^\s{0,9}(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|howdy|yo)\b[\s,!.\w]{0,40}$/i.test(
    ask,
  ) && !/\b(?:write|what|how|can|summar)/i.test(ask)

export const greeting = (): string => `Hello! ${introduction} Ask me "help" to see what I can do.`

export const asksForHelp = (ask: string): boolean =>
  /^\s{0,9}(?:help|\?)\W{0,5}$|\bwhat can you do\b|\bwho are you\b|\bwhat are you\b|\byour (?:abilities|capabilities)\b|\bwhat model\b|\bare you (?:an? )?(?:ai|human|gpt|claude|llm|bot)\b/i.test(
    ask,
  )

const facts: [RegExp, string][] = [
  [
    /\bworkflows?\b/i,
    'In Atelier a workflow is a graph of steps: inputs, text, image and video generation, templates, conditions, transforms and outputs. It is stored, validated, priced before it runs, and run durably.',
  ],
  [
    /\bruns?\b/i,
    'In Atelier a run is one execution of a workflow. It is started with an idempotency key, polled until it is COMPLETED, FAILED or CANCELLED, and survives the death of a worker.',
  ],
  [
    /\b(?:tasks?|images?|videos?)\b/i,
    'In Atelier image and video requests become tasks: the request answers with a task identifier, and the task is read later for its result.',
  ],
  [/\bwebhooks?\b/i, 'Atelier sends one signed webhook when a run that has a callbackUrl ends.'],
  [
    /\batelier\b/i,
    'Atelier is a self-hosted Agent API: one server for text, images, video and durable workflows.',
  ],
]

/** Only what concerns this service itself is known without a text. */
export const factAbout = (ask: string): string | null =>
  /\batelier\b|\bthis (?:service|server|api)\b/i.test(ask)
    ? (facts.find(([words]) => words.test(ask))?.[1] ?? null)
    : null

export function describePictures(pictures: readonly PictureNote[]): string {
  const notes = pictures.map(({ header, sizeBytes }, i) => {
    const kilobytes = `${Math.max(1, Math.round(sizeBytes / 1024))} KB`
    if (!header) return `Picture ${i + 1}: a file I cannot read, ${kilobytes}.`
    const { type, width, height } = header
    const form = width === height ? 'square' : width > height ? 'landscape' : 'portrait'
    return `Picture ${i + 1}: ${type.toUpperCase()}, ${width} × ${height} pixels, ${form}, ${kilobytes}.`
  })
  return `${notes.join('\n')}\nI can read a picture's size and type, not what it shows.`
}

export function fallback(topics: readonly string[]): string {
  const about =
    topics.length > 0
      ? ` Your message seems to be about ${topics.join(', ')}, but none of my rules fits it.`
      : ''
  return `${introduction}${about}\n\nI can:\n${abilities.map((ability) => `- ${ability}`).join('\n')}`
}
