import { cpus, totalmem } from 'node:os'

/** `short` is for many rounds; `quick` only shows that a benchmark works, its figures mean nothing. */
export type Effort = 'full' | 'short' | 'quick'

/** By unit. */
export type Measures = Record<string, number>

export type Row = {
  name: string
  value: string
  limit: string
  ratio: number | null
  goal: string
  isMet: boolean | null
  /** For comparing two trees. */
  measures?: Measures
}

export function markdown(rows: readonly Row[]): string {
  const cell = (row: Row) =>
    `| ${row.name} | ${row.value} | ${row.limit} | ${row.ratio === null ? '' : row.ratio.toFixed(2)} | ${row.goal} | ${row.isMet === null ? '' : row.isMet ? 'yes' : 'no'} |`
  return [
    '| What | Atelier | Compared with | Ratio | Goal | Met |',
    '|---|---|---|---|---|---|',
    ...rows.map(cell),
  ].join('\n')
}

export const machine = () =>
  `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${process.platform}`
