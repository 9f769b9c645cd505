// Finds duplicated code: the same tokens in the same order, whatever their layout. A window of
// `most` + 1 tokens moves over every file; a window that was seen before is a duplicate, and is
// extended as long as both sides agree. Comments and imports are not counted.
import { isGenerated, sourceFiles } from './source-files.ts'

/** The most tokens that two pieces of code may share: about eight lines, in tests twice that. */
const bounds = [
  { pattern: '{src,console/src,scripts}/**/*.{ts,tsx}', most: 60 },
  { pattern: '{test,bench}/**/*.ts', most: 120 },
]

const comments = /\/\*[\s\S]*?\*\/|(?<=^|[\s{}(),])\/\/[^\n]*/g
const imports = /^(import|export) [^'"]*?from '[^']*'|^import '[^']*'/gm
const tokenPattern = /[\p{L}\p{N}_$]+|'(?:[^'\\\n]|\\.)*'|[^\s]/gu

type File = { path: string; ids: number[]; lines: number[] }
type Position = { file: File; at: number }

export const checkDuplicates = (): string[] =>
  bounds.flatMap(({ pattern, most }) => {
    const names = new Map<string, number>()
    const files = sourceFiles(pattern)
      .filter(({ text }) => !isGenerated(text))
      .map(({ path, text }) => toTokens(path, text, names))
    return duplicatesIn(files, most + 1)
  })

function toTokens(path: string, source: string, names: Map<string, number>): File {
  const blank = (text: string) => text.replace(/[^\n]/g, ' ')
  const text = source.replace(comments, blank).replace(imports, blank)
  const [ids, lines]: [number[], number[]] = [[], []]
  let line = 1
  let from = 0
  for (const { 0: token, index } of text.matchAll(tokenPattern)) {
    for (; from < index; from++) if (text.charCodeAt(from) === 10) line++
    const id = names.get(token) ?? names.size + 1
    names.set(token, id)
    ids.push(id)
    lines.push(line)
  }
  return { path, ids, lines }
}

function duplicatesIn(files: readonly File[], size: number): string[] {
  const seen = new Map<number, Position>()
  const found: string[] = []
  for (const file of files) {
    const hashes = hashesOf(file.ids, size)
    for (let at = 0; at < hashes.length; at++) {
      const hash = hashes[at] ?? 0
      const first = seen.get(hash)
      if (!first) seen.set(hash, { file, at })
      const length = first ? agreement(first, { file, at }) : 0
      if (!first || length < size) continue
      found.push(`${spanOf(first, length)} and ${spanOf({ file, at }, length)}: ${length} tokens`)
      at += length - 1
    }
  }
  return found
}

/** The hash of every window of this size; equal windows have equal hashes. */
function hashesOf(ids: readonly number[], size: number): number[] {
  const base = 1_000_003
  let highest = 1
  for (let i = 1; i < size; i++) highest = Math.imul(highest, base)
  const hashes: number[] = []
  let hash = 0
  for (const [i, id] of ids.entries()) {
    if (i >= size) hash = (hash - Math.imul(ids[i - size] ?? 0, highest)) | 0
    hash = (Math.imul(hash, base) + id) | 0
    if (i >= size - 1) hashes.push(hash)
  }
  return hashes
}

/** How many tokens agree from these positions on, without overlapping each other. */
function agreement(first: Position, second: Position): number {
  const isSame = first.file === second.file
  const most = isSame ? second.at - first.at : Number.POSITIVE_INFINITY
  let length = 0
  while (length < most) {
    const id = first.file.ids[first.at + length]
    if (id === undefined || id !== second.file.ids[second.at + length]) break
    length++
  }
  return length
}

const spanOf = ({ file: { path, lines }, at }: Position, length: number): string =>
  `${path}:${lines[at]}-${lines[at + length - 1]}`
