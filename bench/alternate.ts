// Compares this tree with another one, such as a worktree from which one mechanism was removed.
// The two are measured in turns, so that both see the same slow and fast minutes of the machine.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './process.ts'
import type { Measures, Row } from './report.ts'

type Sample = Map<string, Measures>

/** A table with this tree divided by the other one: the median of the ratios of the rounds. */
export function alternate(other: string, parts: readonly string[], rounds: number): string {
  const pairs = Array.from({ length: rounds }, (_, round) => {
    console.error(`▸ round ${round + 1} of ${rounds} …`)
    // Whichever comes second finds warmer caches of the disk, so they take turns at that too.
    if (round % 2 === 0) return { here: measureIn(here, parts), there: measureIn(other, parts) }
    const there = measureIn(other, parts)
    return { here: measureIn(here, parts), there }
  })
  const names = [...(pairs[0]?.here.keys() ?? [])]
  const rows = names.map((name) => `| ${name} | ${ratiosOf(name, pairs).join(' | ')} |`)
  return ['| What | Here / there | Here | There |', '|---|---|---|---|', ...rows].join('\n')
}

const here = fileURLToPath(new URL('..', import.meta.url))

function measureIn(tree: string, parts: readonly string[]): Sample {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-alternate-'))
  const file = join(folder, 'rows.json')
  execFileSync(process.execPath, ['scripts/bench.ts', '--short', '--json', file, ...parts], {
    cwd: tree,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const { rows } = JSON.parse(readFileSync(file, 'utf8')) as { rows: Row[] }
  rmSync(folder, { recursive: true })
  const sample = new Map(rows.flatMap(({ name, measures }) => (measures ? [[name, measures]] : [])))
  if (sample.size === 0) throw new Error(`${parts.join(', ')}: no row of it can be compared`)
  return sample
}

function ratiosOf(name: string, pairs: readonly { here: Sample; there: Sample }[]): string[] {
  const units = Object.keys(pairs[0]?.here.get(name) ?? {})
  const middle = (of: (pair: { here: Sample; there: Sample }, unit: string) => number) =>
    units.map((unit) => [unit, median(pairs.map((pair) => of(pair, unit)))] as const)
  const shown = (figures: readonly (readonly [string, number])[], digits: number) =>
    figures.map(([unit, figure]) => `${figure.toFixed(digits)} ${unit}`).join(', ')
  const at = (sample: Sample, unit: string) => sample.get(name)?.[unit] ?? Number.NaN
  return [
    shown(
      middle((pair, unit) => at(pair.here, unit) / at(pair.there, unit)),
      2,
    ),
    shown(
      middle((pair, unit) => at(pair.here, unit)),
      1,
    ),
    shown(
      middle((pair, unit) => at(pair.there, unit)),
      1,
    ),
  ]
}
