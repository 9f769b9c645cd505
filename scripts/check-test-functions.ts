import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

type Diagnostic = {
  message: string
  location: { path: string; start: { line: number }; end: { line: number } }
}

/** Indented, so that it matches only inside the function in question. */
const declaresTest = /^\s+(await )?(t\.)?(test|it|describe)\(/m

/**
 * Functions in test files have the same length limit as all others (`biome.json`). Biome would also
 * refuse a long `describe`, so functions that declare tests are exempt: they are mere lists.
 */
export function checkTestFunctions(biome: string): string[] {
  const rule = '--only=complexity/noExcessiveLinesPerFunction'
  const { stdout } = spawnSync(
    biome,
    ['lint', rule, '--max-diagnostics=none', '--reporter=json', 'test'],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] }
  return diagnostics.flatMap(({ message, location: { path, start, end } }) => {
    const lines = readFileSync(path, 'utf8').split('\n').slice(start.line, end.line)
    return declaresTest.test(lines.join('\n')) ? [] : [`${path}:${start.line}: ${message}`]
  })
}
