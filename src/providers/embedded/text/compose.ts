// Short pieces from fixed forms: the words of the topic go in, the form stays. Which form is
// chosen by the topic itself, so that the same request gives the same piece.
import { type Random, seededRandom } from '../art/random.ts'
import { ideasFor } from './ideas.ts'
import { capitalize, countBefore, shorten, wordsOf } from './language.ts'
import { keywordsOf, mainSentences } from './rank.ts'
import { titleCase, titleOf } from './summarize.ts'
import { topicOf, withoutArticle } from './topic.ts'

type Wish = {
  /** As the request puts it: "a brave snail". */
  topic: string
  /** Without its article. */
  bare: string
  /** The text it is to be made from; may be empty. */
  text: string
  count: number | undefined
  random: Random
}

type Piece = { words: RegExp; write(wish: Wish): string }

const hashtag = (word: string) => `#${word.split(/[\s-]/).map(capitalize).join('')}`

export const hashtags = (text: string, count: number): string[] =>
  keywordsOf(text, count).map(hashtag)

const titleFor = ({ bare, text }: Wish) => (text === '' ? titleCase(bare) : titleOf(text))

const numbered = (lines: readonly string[]) =>
  lines.map((line, i) => `${i + 1}. ${line}`).join('\n')

const pieces: readonly Piece[] = [
  {
    words: /\bhashtags?\b/i,
    write: ({ bare, text, count }) => hashtags(text === '' ? bare : text, count ?? 5).join(' '),
  },
  { words: /\blinkedin\b/i, write: longPost },
  {
    words:
      /\b(?:tweets?|social(?: media)? posts?|x posts?|instagram|facebook|mastodon|bluesky|posts? (?:about|for|on)|caption|thread)\b/i,
    write: shortPost,
  },
  { words: /\b(?:titles?|headlines?|subject lines?)\b/i, write: titles },
  { words: /\b(?:slogan|tag ?line|motto)s?\b/i, write: slogans },
  {
    words: /\bprompt\b/i,
    write: ({ topic, text }) => ideasFor(`image prompt about ${topic}`, text, 1)[0] ?? topic,
  },
  { words: /\bhaikus?\b/i, write: haiku },
  { words: /\b(?:poem|verse|song|lyrics|limerick)s?\b/i, write: poem },
  { words: /\b(?:story|tale|fairy ?tale|narrative)\b/i, write: story },
  { words: /\b(?:e-?mail|letter|message|reply|invitation|announcement)\b/i, write: letter },
  {
    words:
      /\b(?:product description|ad copy|advert(?:isement)?|advertising|sales copy|landing page|shop page)\b/i,
    write: advertisement,
  },
  {
    words:
      /\b(?:outline|agenda|plan|structure|table of contents|blog post|article|essay|report|presentation|script)\b/i,
    write: outline,
  },
]

export const asksForPiece = (ask: string): boolean => pieces.some(({ words }) => words.test(ask))

export function composePiece(ask: string, text: string): string {
  // "… about this product: an oak stool": what follows is the topic, not a text to work from.
  const short = text !== '' && wordsOf(text).length <= 14 && !/[.!?]\s*$/.test(text.slice(-20))
  const topic = short ? text.trim() : topicOf(ask)
  const wish = {
    topic,
    bare: withoutArticle(topic),
    text: short ? '' : text,
    count: countBefore(
      ask,
      /^(?:\S{1,20} )?(?:titles?|headlines?|slogans?|tag ?lines?|hashtags?|sentences?)\b/,
    ),
    random: seededRandom(topic),
  }
  return pieces.find(({ words }) => words.test(ask))?.write(wish) ?? ''
}

function shortPost({ bare, text }: Wish): string {
  const asked = `${capitalize(bare)}: what would you like to know about it?`
  const lead = text === '' ? asked : (mainSentences(text, 1)[0] ?? asked)
  return `${shorten(lead, 200)}\n\n${hashtags(text === '' ? bare : text, 3).join(' ')}`
}

function longPost(wish: Wish): string {
  const { topic, bare, text } = wish
  const points =
    text === ''
      ? [`Why ${topic} matters now`, 'What we learned', 'What comes next']
      : mainSentences(text, 3)
  const lines = points.map((point) => `→ ${shorten(point, 180)}`)
  const tags = hashtags(text === '' ? bare : text, 4).join(' ')
  return [titleFor(wish), lines.join('\n'), 'What is your experience?', tags].join('\n\n')
}

function titles(wish: Wish): string {
  const { bare, text, count = 1 } = wish
  if (count === 1) return titleFor(wish)
  const many = text === '' ? ideasFor(`ideas for ${bare}`, '', count) : mainSentences(text, count)
  return numbered(many.map((line) => titleCase(shorten(line.replace(/[.!?]$/, ''), 80))))
}

function slogans({ bare, count = 1, random }: Wish): string {
  const forms = [
    `${capitalize(bare)}. Made simple.`,
    `Think ${bare}. Think again.`,
    `${capitalize(bare)}, the way it should be.`,
    `More ${bare}, less effort.`,
    `Where ${bare} begins.`,
  ]
  const from = random.whole(0, forms.length - 1)
  const chosen = [...forms.slice(from), ...forms.slice(0, from)].slice(0, count)
  return count === 1 ? chosen.join('') : numbered(chosen)
}

function haiku({ bare, random }: Wish): string {
  const middle = random.pick([
    'a quiet light on the floor,',
    'the morning holds its breath,',
    'rain on the window pane,',
    'one leaf turns in the wind,',
  ])
  const end = random.pick([
    'and then, the evening.',
    'nothing more to say.',
    'the day goes on.',
    'again, the first time.',
  ])
  return `${capitalize(bare)} –\n${middle}\n${end}`
}

function poem({ topic, random }: Wish): string {
  const [a, b] = random.pick<readonly [string, string]>([
    ['day', 'way'],
    ['night', 'light'],
    ['tide', 'side'],
    ['rain', 'lane'],
  ])
  return `I thought of ${topic} at the end of the ${a},\nand of all that it brought us along with the ${b};\na word for the morning, a hand for the climb,\nand ${topic}, still patient, and keeping its time.`
}

function story({ topic, random }: Wish): string {
  const who = random.pick(['Mara', 'Jonas', 'Ines', 'Tobias', 'Lena'])
  const where = random.pick([
    'a harbour town',
    'the last house of the valley',
    'a city that never quite slept',
    'an old workshop',
  ])
  return [
    `In ${where} lived ${who}, who could think of nothing but ${topic}.`,
    `People laughed at first. Then one morning the usual way of doing things failed, and it was ${who} who knew what to do, because nobody else had looked at ${topic} so closely.`,
    `Afterwards they asked how ${who} had known. "I did not know," said ${who}. "I only kept looking."`,
  ].join('\n\n')
}

function letter(wish: Wish): string {
  const { topic, text } = wish
  const points =
    text === ''
      ? [
          `I am writing to you about ${topic}.`,
          'Please let me know what you think, and whether a short call would help.',
        ]
      : mainSentences(text, 3)
  return [`Subject: ${titleFor(wish)}`, 'Hello,', ...points, 'Kind regards'].join('\n\n')
}

function advertisement({ bare, text, count }: Wish): string {
  const pitch =
    text === ''
      ? `Meet the ${bare}: thought through from the first sketch, easy from the first day.`
      : mainSentences(text, 2).join(' ')
  if (count !== undefined) return `${pitch} Made to last, and yours to try today.`
  const points = '- Ready in minutes\n- Made to last\n- Yours to try today'
  return [capitalize(bare), pitch, points].join('\n\n')
}

function outline(wish: Wish): string {
  const { topic, text } = wish
  const general = [
    'Where things stand',
    'What stands in the way',
    'What could be done',
    'Next steps',
  ]
  const heads =
    text === '' ? general.map((head) => `${head}: ${topic}`) : keywordsOf(text, 5).map(capitalize)
  return `# ${titleFor(wish)}\n\n${numbered(heads)}`
}
