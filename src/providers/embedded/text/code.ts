import { isStopWord, wordsOf } from './language.ts'

const skeletons: Record<string, (name: string) => string> = {
  python: (name) => `def ${name}(value):\n    raise NotImplementedError`,
  javascript: (name) => `export function ${name}(value) {\n  throw new Error('not written yet')\n}`,
  sql: (name) => `select *\nfrom ${name}\nlimit 10;`,
  typescript: (name) =>
    `export function ${name}(value: unknown): unknown {\n  throw new Error('not written yet')\n}`,
}

const common = /^(?:write|code|function|program|python|javascript|typescript|sql)$/

/** A signature with a telling name: the rules know no programs. */
export function codeSkeleton(ask: string): string {
  const words = wordsOf(ask.slice(0, 600).toLowerCase())
  const language = words.find((word) => Object.hasOwn(skeletons, word)) ?? 'typescript'
  const telling = words.filter(
    (word) => /^[a-z]+$/.test(word) && !isStopWord(word) && !common.test(word),
  )
  const name = telling.slice(0, 3).join('_') || 'solve'
  return `\`\`\`${language}\n${skeletons[language]?.(name)}\n\`\`\`\n\nI am the embedded demo model: this is a skeleton made by rule. Configure a provider key for working code.`
}
