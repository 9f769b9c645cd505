import { library } from './code-library.ts'
import { wordsOf } from './language.ts'
import { asksForSql, writeSql } from './sql.ts'
import { topicOf } from './topic.ts'

export const asksForCode = (ask: string): boolean =>
  /\b(?:write|create|implement|generate|give|show|make|need|build|code)\b/i.test(ask) &&
  /\b(?:function|method|script|sql|program|class|snippet|code|typescript|javascript|python|algorithm)\b/i.test(
    ask,
  )

type Language = 'typescript' | 'javascript' | 'python'

const languageIn = (ask: string): Language =>
  /\bpython\b|\.py\b/i.test(ask)
    ? 'python'
    : /\bjavascript\b|\bjs\b|\.m?js\b/i.test(ask)
      ? 'javascript'
      : 'typescript'

const otherLanguage =
  /\b(?:rust|java|kotlin|swift|ruby|php|perl|haskell|scala|golang|c\+\+|c#)(?![\w+#])/i

export function writeCode(ask: string): string {
  if (asksForSql(ask)) return fenced('sql', writeSql(ask))
  const language = languageIn(ask)
  const other = otherLanguage.exec(ask)?.[0]
  const note = other ? `I do not know ${other}; this is ${language}.\n\n` : ''
  const known = library.find(({ words }) => words.test(ask))
  if (!known) return note + fenced(language, skeleton(ask, language))
  const code = language === 'python' ? known.python : typed(known.typescript, language)
  return `${note}${known.name}:\n\n${fenced(language, code)}`
}

const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``

const typed = (code: string, language: Language) =>
  language === 'typescript' ? code.replace(/[«»]/g, '') : code.replace(/«[^»]{0,200}»/g, '')

const fillers = new Set(
  'write create implement generate give show make need build code function method script program that which this please using typescript javascript python me a an it the for and with from into can you them'.split(
    ' ',
  ),
)

/** The task restated, with a place for each of its parts: an honest start, not a solution. */
function skeleton(ask: string, language: Language): string {
  const task = ask.replace(/\s+/g, ' ').trim().slice(0, 200)
  const words = wordsOf(topicOf(ask))
    .map((word) => word.toLowerCase().replace(/[^a-z0-9]/g, ''))
    .filter((word) => word !== '' && !fillers.has(word))
    .slice(0, 4)
  const parts = task
    .split(/,| and | then |; /)
    .map((part) => part.trim())
    .filter((part) => part.length > 3)
    .slice(0, 6)
  if (language === 'python') {
    const name = words.join('_') || 'solve'
    return `def ${safe(name)}(data):\n    """${task.replaceAll('"', "'").replaceAll('\\', '')}"""\n${parts.map((part) => `    # TODO: ${part}\n`).join('')}    raise NotImplementedError("The demo model knows no rule for this task")`
  }
  const name = safe(
    words
      .map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
      .join('') || 'solve',
  )
  const signature = typed('(input«: unknown»)«: unknown»', language)
  return `/** ${task.replaceAll('*/', '* /')} */\nexport function ${name}${signature} {\n${parts.map((part) => `  // TODO: ${part}\n`).join('')}  throw new Error('The demo model knows no rule for this task')\n}`
}

const safe = (name: string) => (/^\d/.test(name) ? `f${name}` : name)

export const asksAboutCode = (ask: string): boolean =>
  /\b(?:explain|describe|review|document|what does|summari[sz]e)\b/i.test(ask)

const looksLikeCode = (text: string) =>
  /[;{}]\s*\n|\bdef \w{1,60}\(|\bfunction\b|=>|\bimport \w|\bselect\b.{1,200}\bfrom\b/i.test(
    text.slice(0, 20_000),
  )

/** What can be counted and named in a piece of code, or null if it is none. */
export function explainCode(text: string): string | null {
  if (!looksLikeCode(text)) return null
  const lines = text.split('\n')
  const filled = lines.filter((line) => line.trim() !== '')
  const comments = filled.filter((line) => /^\s{0,99}(?:\/\/|#|\*|\/\*|--)/.test(line))
  const names = filled.flatMap(
    (line) =>
      /\b(?:function|def|class|fn|func|interface|type|const)\s{1,3}([A-Za-z_]\w{0,60})/.exec(
        line.slice(0, 300),
      )?.[1] ?? [],
  )
  const imports = filled.filter((line) =>
    /^\s{0,20}(?:import|from|require|use|#include)\b/.test(line),
  )
  const branches = filled.filter((line) =>
    /\b(?:if|else|switch|case|for|while|match)\b/.test(line.slice(0, 300)),
  )
  const python = /\bdef \w{1,60}\(.{0,200}\)(?: ->.{0,60})?:/.test(text.slice(0, 20_000))
  const language = python
    ? 'Python'
    : /\bselect\b.{1,200}\bfrom\b/i.test(text.slice(0, 20_000)) &&
        !/=>|function/.test(text.slice(0, 20_000))
      ? 'SQL'
      : /:\s?(?:string|number|boolean)\b|interface /.test(text.slice(0, 20_000))
        ? 'TypeScript'
        : 'a curly-brace language'
  return `This looks like ${language}: ${lines.length} lines, ${comments.length} of them comments, ${imports.length} imports, ${branches.length} branches or loops.${names.length > 0 ? ` It defines ${[...new Set(names)].slice(0, 20).join(', ')}.` : ''} I count and name; I do not understand what it is for.`
}
